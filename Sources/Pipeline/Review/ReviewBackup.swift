import Foundation
import Models

/// What an answer removed or changed outside of the journal, so that it can be undone.
enum ReviewBackup: Codable, Sendable {
    case draft(account: String, messageID: String, revision: Int, content: Data)
    case rules(path: String, before: String, after: String)

    /// A larger draft cannot be discarded in a review. In bytes.
    static let largestDraft = 1 << 20
}

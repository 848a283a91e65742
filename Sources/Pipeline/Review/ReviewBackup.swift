import Foundation
import Models

/// What an answer removed or edited outside of the journal, so that it can be undone.
enum ReviewBackup: Codable, Sendable {
    case draft(account: String, messageID: String, revision: Int, content: Data)
    case rules(path: String, before: String, after: String)

    /// A larger draft is not discarded in a review. Bytes.
    static let largestDraft = 1 << 20
}

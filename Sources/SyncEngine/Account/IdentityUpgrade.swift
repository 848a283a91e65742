import MIMEParser
import MailStore
import Models

/// Corrects values from an older version: digests of headers with fields that servers rewrite.
struct IdentityUpgrade {
    /// Headers that are held at once.
    private static let chunk = 500

    let store: Store
    let account: AccountID

    func run() throws {
        while true {
            let blocks = try store.messages.undigestedHeaders(of: account, limit: Self.chunk)
            guard !blocks.isEmpty else { return }
            try Task.checkCancellation()
            try store.messages.saveHeaderDigests(
                blocks.mapValues { EmailIdentity.fingerprint(headerBlock: HeaderBlock.canonical($0)) })
        }
    }
}

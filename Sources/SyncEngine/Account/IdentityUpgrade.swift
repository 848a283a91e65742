import MIMEParser
import MailStore
import Models

/// Corrects digests that an older version computed from headers with fields that servers rewrite.
struct IdentityUpgrade {
    /// The number of headers in memory at once.
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

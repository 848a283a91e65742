import Files
import Glibc
public import Models

/// Until when the refresh token of an account is good, in a file beside the store. It holds no secret, so it can be read
/// wherever the tokens themselves are kept, and while a keyring is locked.
public struct LoginEnd: Sendable {
    private let path: String

    /// `folder`: the store's.
    public init(_ account: AccountID, folder: String) { path = folder + "/oauth-\(account).ends" }

    /// nil: the provider did not say, or the account has not logged in.
    public var time: Timestamp? {
        guard case .text(let text) = Disk.read(path, limit: 64) else { return nil }
        return Timestamp(rfc3339: text.prefix { $0 != "\n" }.description)
    }

    /// Notes the end of a new refresh token; nil: it is not known.
    public func note(_ end: Timestamp?) {
        guard let end else {
            unlink(path)
            return
        }
        // Only an announcement: without it, the refusal of the token tells.
        try? ReplacedFile.write(
            Array((end.rfc3339 + "\n").utf8), to: path, through: path + ".new", mode: 0o600)
    }
}

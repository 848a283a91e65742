import Files
import Glibc
public import Models

/// When the refresh token of an account expires, in a file beside the store. The file holds no secret, so opus can read it
/// wherever the tokens themselves are, and while the keyring is locked.
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
        // Only a warning depends on it: without the file, the user learns it when the provider refuses the token.
        try? ReplacedFile.write(
            Array((end.rfc3339 + "\n").utf8), to: path, through: path + ".new", mode: 0o600)
    }
}

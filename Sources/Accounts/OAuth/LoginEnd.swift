import Files
import Glibc
public import Models

/// When the refresh token of an account expires, in a file beside the store. The file contains no secret, so
/// opus can read it wherever the tokens are stored, and while the keyring is locked.
public struct LoginEnd: Sendable {
    private let path: String

    /// `folder`: the folder of the store.
    public init(_ account: AccountID, folder: String) { path = folder + "/oauth-\(account).ends" }

    /// nil: the provider did not report it, or the user has not logged in.
    public var time: Timestamp? {
        guard case .text(let text) = Disk.read(path, limit: 64) else { return nil }
        return Timestamp(rfc3339: text.prefix { $0 != "\n" }.description)
    }

    /// Notes when a new refresh token expires; nil: unknown.
    public func note(_ end: Timestamp?) {
        guard let end else {
            unlink(path)
            return
        }
        // Only a warning depends on it: without the file, the user notices the end when the provider refuses
        // the token.
        try? ReplacedFile.write(
            Array((end.rfc3339 + "\n").utf8), to: path, through: path + ".new", mode: 0o600)
    }
}

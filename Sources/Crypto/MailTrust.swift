import COpenSSL
import Synchronization

/// The authorities that may vouch for a mail certificate: those of the system, and those of a file.
///
/// The network is not used: neither revocation lists nor missing certificates are fetched.
public final class MailTrust: @unchecked Sendable {
    /// A file that holds no certificates, or cannot be read.
    public struct UnreadableFile: Error, Equatable {
        public let path: String
    }

    // libcrypto guards a store itself.
    private let store: OpaquePointer
    private let usesSystem: Bool
    private let hasSystem = Mutex(false)

    /// `usesSystem`: false where only the file counts.
    public init(caFile: String? = nil, usesSystem: Bool = true) throws(UnreadableFile) {
        guard let store = X509_STORE_new() else { preconditionFailure("libcrypto has no memory for a store") }
        self.store = store
        self.usesSystem = usesSystem
        guard let caFile else { return }
        defer { ERR_clear_error() }
        // The object is whole: an error from here on frees the store in deinit.
        guard X509_STORE_load_file(store, caFile) == 1 else { throw UnreadableFile(path: caFile) }
    }

    deinit { X509_STORE_free(store) }

    /// The authorities of the system are read when the first signature is checked.
    func withStore<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        hasSystem.withLock { isRead in
            guard usesSystem, !isRead else { return }
            X509_STORE_set_default_paths(store)
            ERR_clear_error()
            isRead = true
        }
        return body(store)
    }
}

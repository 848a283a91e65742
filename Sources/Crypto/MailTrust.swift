import COpenSSL
import Synchronization

/// The authorities that may certify mail certificates: those of the system and those of a file.
///
/// It uses no network: it fetches neither revocation lists nor missing certificates.
public final class MailTrust: @unchecked Sendable {
    /// The file contains no certificates, or cannot be read.
    public struct UnreadableFile: Error, Equatable {
        public let path: String
    }

    // libcrypto locks a store itself.
    private let store: OpaquePointer
    private let usesSystem: Bool
    private let hasSystem = Mutex(false)

    /// `usesSystem`: false: only the file counts.
    public init(caFile: String? = nil, usesSystem: Bool = true) throws(UnreadableFile) {
        guard let store = X509_STORE_new() else { preconditionFailure("libcrypto has no memory for a store") }
        self.store = store
        self.usesSystem = usesSystem
        guard let caFile else { return }
        defer { ERR_clear_error() }
        // All fields are set, so if an error follows, deinit frees the store.
        guard X509_STORE_load_file(store, caFile) == 1 else { throw UnreadableFile(path: caFile) }
    }

    deinit { X509_STORE_free(store) }

    /// The system's authorities are read when the first signature is checked.
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

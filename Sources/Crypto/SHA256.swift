import COpenSSL

/// SHA-256, at once or in pieces. FIPS 180-4 §6.2.
public enum SHA256 {
    public static let byteCount = 32

    public static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        Digest.hash(bytes, .sha256)
    }

    /// A hash of data that comes in pieces. It is a value: copies are independent.
    public struct Incremental: Sendable {
        private var digest = Digest(.sha256)

        public init() {}

        public mutating func update(_ bytes: some Sequence<UInt8>) {
            if !isKnownUniquelyReferenced(&digest) { digest = digest.copy() }
            digest.update(bytes)
        }

        /// The hash of the data so far; more data may follow.
        public func finalize() -> [UInt8] { digest.copy().finish() }
    }
}

/// One EVP digest context. It is shared only while it does not change; ``SHA256/Incremental`` copies it first.
final class Digest: @unchecked Sendable {
    enum Algorithm {
        case sha1
        case sha256
    }

    private let context: OpaquePointer

    init(_ algorithm: Algorithm) {
        context = Self.makeContext()
        requireLibcrypto(EVP_DigestInit_ex(context, Self.type(algorithm), nil) == 1, "EVP_DigestInit_ex")
    }

    /// Hashes all bytes at once.
    static func hash(_ bytes: some Sequence<UInt8>, _ algorithm: Algorithm) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { output, count in
            var size: UInt32 = 0
            let works = withBytes(bytes) {
                EVP_Digest($0.baseAddress, $0.count, output.baseAddress, &size, type(algorithm), nil) == 1
            }
            requireLibcrypto(works, "EVP_Digest")
            count = Int(size)
        }
    }

    // Fetched once: libcrypto would look up EVP_sha256() by its name for each digest, which takes as long as the hash of a
    // short text. The functions never change, so threads may share them.
    private nonisolated(unsafe) static let sha1 = EVP_MD_fetch(nil, "SHA1", nil)
    private nonisolated(unsafe) static let sha256 = EVP_MD_fetch(nil, "SHA256", nil)

    private static func type(_ algorithm: Algorithm) -> OpaquePointer? {
        switch algorithm {
        case .sha1: sha1
        case .sha256: sha256
        }
    }

    private init(copying other: OpaquePointer) {
        context = Self.makeContext()
        requireLibcrypto(EVP_MD_CTX_copy_ex(context, other) == 1, "EVP_MD_CTX_copy_ex")
    }

    deinit { EVP_MD_CTX_free(context) }

    func copy() -> Digest { Digest(copying: context) }

    func update(_ bytes: some Sequence<UInt8>) {
        let works = withBytes(bytes) { EVP_DigestUpdate(context, $0.baseAddress, $0.count) == 1 }
        requireLibcrypto(works, "EVP_DigestUpdate")
    }

    /// Ends the context, which must not be used afterwards.
    func finish() -> [UInt8] {
        var output = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        requireLibcrypto(EVP_DigestFinal_ex(context, &output, &count) == 1, "EVP_DigestFinal_ex")
        return Array(output.prefix(Int(count)))
    }

    private static func makeContext() -> OpaquePointer {
        guard let context = EVP_MD_CTX_new() else {
            preconditionFailure("libcrypto has no memory for a digest")
        }
        return context
    }
}

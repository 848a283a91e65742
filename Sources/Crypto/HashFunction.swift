import COpenSSL

/// A hash function, with HMAC and PBKDF2, for protocols that name the hash.
///
/// SHA-1 is included for SCRAM-SHA-1: inside HMAC and PBKDF2 it is not broken. RFC 6194 §3.3.
public enum HashFunction: Hashable, Sendable {
    case sha1
    case sha256

    public var byteCount: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        }
    }

    public func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let digest = Digest(self == .sha1 ? .sha1 : .sha256)
        digest.update(bytes)
        return digest.finish()
    }

    /// HMAC. RFC 2104.
    public func authenticate(_ bytes: some Sequence<UInt8>, key: some Sequence<UInt8>) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: byteCount)
        // For libcrypto, a missing key means the key of the last call, so there is always a pointer.
        let keyBytes = Array(key) + [0]
        let works = withBytes(bytes) { message in
            HMAC(
                type, keyBytes, Int32(clamping: keyBytes.count - 1), message.baseAddress, message.count,
                &output,
                nil) != nil
        }
        requireLibcrypto(works, "HMAC")
        return output
    }

    /// PBKDF2 with HMAC, as long as the hash. The time is proportional to `iterations`, so check them first.
    /// RFC 8018 §5.2.
    public func derive(password: [UInt8], salt: [UInt8], iterations: Int) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: byteCount)
        let text = password.map { CChar(bitPattern: $0) } + [0]
        let works = PKCS5_PBKDF2_HMAC(
            text, Int32(clamping: password.count), salt, Int32(clamping: salt.count),
            Int32(clamping: max(iterations, 1)), type, Int32(byteCount), &output)
        requireLibcrypto(works == 1, "PKCS5_PBKDF2_HMAC")
        return output
    }

    private var type: OpaquePointer? {
        switch self {
        case .sha1: EVP_sha1()
        case .sha256: EVP_sha256()
        }
    }
}

import COpenSSL

/// A keyed hash that only the holder of the key can make. RFC 2104, RFC 4231.
public enum HMACSHA256 {
    public static func authenticate(_ bytes: some Sequence<UInt8>, key: some Sequence<UInt8>) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: SHA256.byteCount)
        // libcrypto reads an absent key as "the key of the last call": a pointer is always given.
        let keyBytes = Array(key) + [0]
        let works = withBytes(bytes) { message in
            HMAC(
                EVP_sha256(), keyBytes, Int32(clamping: keyBytes.count - 1), message.baseAddress,
                message.count, &output, nil) != nil
        }
        requireLibcrypto(works, "HMAC")
        return output
    }
}

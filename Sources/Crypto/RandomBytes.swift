import COpenSSL

/// Unpredictable bytes from libcrypto's generator.
public enum RandomBytes {
    /// New random bytes; empty: the count is negative.
    public static func make(count: Int) -> [UInt8] {
        guard count > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: count)
        requireLibcrypto(RAND_bytes(&bytes, Int32(clamping: count)) == 1, "RAND_bytes")
        return bytes
    }
}

/// Compares bytes in the same time, wherever the first difference is.
public enum ConstantTime {
    /// Lengths are not secret, so they are compared directly.
    public static func equals(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count && CRYPTO_memcmp(one, other, one.count) == 0
    }
}

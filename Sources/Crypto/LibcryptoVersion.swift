import COpenSSL

/// The libcrypto that this program runs with.
public enum LibcryptoVersion {
    /// The library's own text: `OpenSSL 3.0.19 27 Jan 2026`.
    public static var text: String { String(cString: OpenSSL_version(OPENSSL_VERSION)) }
}

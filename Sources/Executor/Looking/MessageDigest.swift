import Crypto
import MIMEParser

/// Distinguishes two versions of a message with the same Message-ID.
public enum MessageDigest {
    /// SHA-256 of the message in its canonical form, in hex.
    public static func of(_ message: [UInt8]) -> String {
        Hex.encode(SHA256.hash(ComparableMessage.bytes(of: message)))
    }
}

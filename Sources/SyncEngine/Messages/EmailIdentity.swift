import Crypto
import MailStore
public import Models

/// Identifies a message in all mailboxes: two messages are the same if they have the same header block and
/// the same body.
///
/// Fields that servers write do not count (``HeaderBlock/canonical(_:)``). A `Message-ID` alone is not a
/// proof, because it may be missing, repeated or forged. It only determines the value of the id, so that the
/// id is the same after the store was lost.
public enum EmailIdentity {
    /// SHA-256 of a header block, in hex. Callers pass the canonical form.
    public static func fingerprint(headerBlock: some Sequence<UInt8>) -> String {
        Hex.encode(SHA256.hash(Array(headerBlock)))
    }

    /// The fingerprint of header and body. Only a part of a long body is read, so the size is included.
    static func fingerprint(header: String, body: BodyDigest, size: Int) -> String {
        let words =
            switch body {
            case .whole(let digest): [header, "whole", digest]
            case .part(let digest): [header, "part", digest, "\(size)"]
            }
        return Hex.encode(SHA256.hash(Array(words.joined(separator: "\u{0}").utf8)))
    }

    public static func id(account: AccountID, messageID: MessageID) -> EmailID {
        id(of: [account.rawValue, "message-id", messageID.rawValue])
    }

    /// The id of a message that has no `Message-ID`, or whose `Message-ID` belongs to another message.
    public static func id(account: AccountID, fingerprint: String) -> EmailID {
        id(of: [account.rawValue, "header", fingerprint])
    }

    private static func id(of words: [String]) -> EmailID {
        let digest = SHA256.hash(Array(words.joined(separator: "\u{0}").utf8))
        return EmailID(rawValue: Crockford.encode(Array(digest.prefix(15))))
    }
}

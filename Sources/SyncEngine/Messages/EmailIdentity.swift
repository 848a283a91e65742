import Crypto
import MailStore
public import Models

/// How a message is recognized in any mailbox: the same header block and the same body are the same message.
///
/// What servers write into a header does not count (``HeaderBlock/canonical(_:)``).
/// A `Message-ID` alone is not a proof (it may be missing, repeated or forged); it only gives the id its
/// value, so that the id is the same after the store was lost.
public enum EmailIdentity {
    /// SHA-256 of the header block with its line ends folded, hex.
    public static func fingerprint(headerBlock: some Sequence<UInt8>) -> String {
        Hex.encode(SHA256.hash(Array(headerBlock)))
    }

    /// Header and body together. Of a long message only a part of the body is read, so its size counts too.
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

    /// The id of a message without a `Message-ID`, or whose `Message-ID` another message has.
    public static func id(account: AccountID, fingerprint: String) -> EmailID {
        id(of: [account.rawValue, "header", fingerprint])
    }

    private static func id(of words: [String]) -> EmailID {
        let digest = SHA256.hash(Array(words.joined(separator: "\u{0}").utf8))
        return EmailID(rawValue: Crockford.encode(Array(digest.prefix(15))))
    }
}

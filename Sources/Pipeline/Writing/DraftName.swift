import Crypto
public import Models

/// The short ids of drafts: a hash of their Message-ID, never a row number.
public enum DraftName {
    public static func hash(of id: MessageID) -> String {
        Crockford.encode(Array(SHA256.hash(Array(id.rawValue.utf8)).prefix(10))).lowercased()
    }

    /// The name of a mail of which only the hash is known.
    static func short(hash: String) -> String { "d:" + hash.prefix(4) }

    /// The shortest beginning of four characters or more that no other draft has.
    static func short(_ id: MessageID, among others: [MessageID]) -> String {
        let own = hash(of: id)
        let shared = others.filter { $0 != id }.map { other in
            zip(own, hash(of: other)).prefix { $0 == $1 }.count
        }
        return "d:" + own.prefix(max(4, (shared.max() ?? 0) + 1))
    }
}

extension EmailID {
    private static let outgoingPrefix = "draft-"

    /// The message of the steps that send a mail which is in no mailbox yet.
    static func outgoing(_ mail: MessageID) -> EmailID {
        EmailID(rawValue: outgoingPrefix + DraftName.hash(of: mail))
    }

    /// The id for users and programs: that of the message, or the id in the outbox of a mail that was in no mailbox when it
    /// was sent.
    public var shown: String { outgoing.map { DraftName.short(hash: $0) } ?? rawValue }

    /// The hash that names the mail; nil: it is another message.
    var outgoing: String? {
        rawValue.hasPrefix(Self.outgoingPrefix)
            ? String(rawValue.dropFirst(Self.outgoingPrefix.count)) : nil
    }
}

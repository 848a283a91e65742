import Crypto
public import Models

/// The identity of a task made from mail. Because of it, running again or losing the store never makes a
/// second task.
///
/// A UUIDv5 of account, message name and rule id, each terminated by NUL. The name is the Message-ID. If that
/// does not identify the message, the name is the digest of the message (``OwnNames``), or its ``EmailID``.
/// For other tasks than the first one of a rule and a message, the UUID also includes a purpose.
public enum TodoIdentity {
    public static func make(
        account: AccountID, messageID: MessageID?, message: EmailID, rule: String
    ) -> TodoID {
        make(
            account: account, message: name(of: messageID, message, OwnNames()), rule: rule, purpose: .task(0)
        )
    }

    enum Purpose: Hashable, Sendable {
        /// The n-th task that a rule makes from one message.
        case task(Int)
        case waiting
    }

    static let allPurposes: [Purpose] = [.task(0), .waiting]

    /// The name of a message in the identity of its tasks.
    ///
    /// The trap: some machines write the same `Message-ID` into all their mails. An id without `@` identifies
    /// nothing (RFC 5322 §3.6.4), and an id that an earlier, different message has identifies that message.
    /// The names of such messages are made from their content.
    public static func name(of messageID: MessageID?, _ message: EmailID, _ names: OwnNames) -> String {
        if let own = names.digests[message] { return own }
        guard let messageID, messageID.namesAMessage else { return message.rawValue }
        return messageID.rawValue
    }

    static func make(account: AccountID, message: String, rule: String, purpose: Purpose) -> TodoID {
        var parts = [account.rawValue, message, rule]
        switch purpose {
        case .task(let number): if number > 0 { parts.append(String(number)) }
        case .waiting: parts.append("waiting")
        }
        let name = parts.joined(separator: "\0")
        return TodoID(UUIDv5.make(namespace: UUIDv5.opusNamespace, name: Array(name.utf8)))
    }
}

/// The key of a request in the journal: the same request has the same key in every run.
enum IdempotencyKey {
    static func make(
        account: AccountID, message: EmailID?, kind: String, target: String, rule: String, token: String = ""
    ) -> String {
        let parts = [account.rawValue, message?.rawValue ?? "", kind, target, rule, token]
        // Each part is preceded by its length, because the name of a rule or a mailbox may contain any
        // character.
        let text = parts.map { "\($0.utf8.count):\($0)" }.joined(separator: ",")
        return Hex.encode(SHA256.hash(Array(text.utf8)))
    }
}

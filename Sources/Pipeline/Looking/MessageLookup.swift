import MailStore
import Models

/// Finds messages by ids that users type, and returns short ids.
struct MessageLookup: Sendable {
    let store: Store
    let rows: ListRows

    /// The message for a typed id. A number of at most three digits is a row of the last list.
    func message(_ typed: String) throws -> StoredMessage {
        if let number = ListRows.number(typed) {
            return try require(EmailID(rawValue: try rows.id(number, .messages)))
        }
        let prefix = typed.hasPrefix("m:") ? String(typed.dropFirst(2)) : typed
        let lowered = prefix.lowercased()
        guard !lowered.isEmpty, lowered.utf8.allSatisfy({ Self.idAlphabet.contains($0) }) else {
            throw Problem(
                "bad-id", exit: .usage, message: "\"\(typed)\" is not a message id",
                next: ["ids look like 7k2q or m:7k2q (opus list)"])
        }
        let found = try store.messages.resolve(prefix: lowered)
        guard let id = found.first else {
            throw Problem(
                "no-such-message", exit: .notFound,
                message: "no message has an id that begins with \(lowered)",
                next: ["opus list --all", "opus sync"])
        }
        guard found.count == 1 else {
            throw Problem(
                "ambiguous-id", exit: .usage, message: "\(lowered) is the beginning of \(found.count) ids",
                next: [
                    "one of: "
                        + found.map { String($0.rawValue.prefix(lowered.count + 4)) }.joined(separator: ", ")
                ])
        }
        return try require(id)
    }

    private static let idAlphabet = Set("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    func require(_ id: EmailID) throws -> StoredMessage {
        guard let detail = try store.messages.detail(of: id) else {
            throw Problem("no-such-message", exit: .notFound, message: "the store has no message \(id)")
        }
        return detail
    }

    /// The shortest beginning of each id that no other message has. A mail of the user that was in no mailbox
    /// when it was sent has the id that `opus outbox` gives it.
    func shortIDs(_ ids: [EmailID]) throws -> [EmailID: String] {
        let own = ids.filter { $0.outgoing != nil }
        var names = try store.messages.shortPrefix(of: own.isEmpty ? ids : ids.filter { $0.outgoing == nil })
        for id in own { names[id] = id.outgoing.map { DraftName.short(hash: $0) } }
        return names
    }
}

extension Problem {
    /// `--account` names another account than that of the message.
    static func otherAccount(_ typed: String, _ own: AccountID, not account: String) -> Problem {
        Problem(
            "no-such-message", exit: .notFound,
            message: "\(typed) is a message of account \(own), not of \(account)")
    }
}

public import Models
public import Pipeline

/// `opus.screener/1`: the senders of held mail, or the decisions.
public struct ScreenerDocument: Encodable, Sendable {
    var schema = "opus.screener/1"
    var senders: [Sender]?
    var history: [Decision]?

    struct Sender: Encodable, Sendable {
        var account: String
        /// The id of the newest message.
        var id: String
        var address: String?
        var name: String?
        var subject: String
        var received: String
        var messages: [String]
        var replyTo: [String]?
        var looksLike: String?
    }

    struct Decision: Encodable, Sendable {
        var run: String
        var time: String
        var account: String
        var cause: String
        var list: String
        var address: String
        var listed: Bool
        var undone: Bool
    }

    public init(_ waiting: [ScreenedSender], _ zone: ZoneClock) {
        senders = waiting.compactMap { sender in
            guard let newest = sender.messages.first else { return nil }
            return Sender(
                account: sender.account.rawValue, id: newest.id.rawValue, address: sender.address?.addrSpec,
                name: sender.address?.displayName, subject: newest.subject,
                received: zone.rfc3339(newest.received), messages: sender.messages.map(\.id.rawValue),
                replyTo: sender.replyTo.isEmpty ? nil : sender.replyTo.map(\.addrSpec),
                looksLike: sender.looksLike?.addrSpec)
        }
    }

    public init(_ records: [SenderRecord], _ zone: ZoneClock) {
        history = records.map {
            Decision(
                run: $0.run.description, time: zone.rfc3339($0.at), account: $0.account.rawValue,
                cause: $0.cause.name, list: $0.list.path, address: $0.entry, listed: $0.isListed,
                undone: $0.isUndone)
        }
    }
}

import Models
public import Pipeline

/// `opus.list-senders/1`
public struct ListSendersDocument: Encodable, Sendable {
    var schema = "opus.list-senders/1"
    var senders: [Sender]

    struct Sender: Encodable, Sendable {
        var account: String
        var address: String
        var name: String
        var messages: Int
        var read: Int
        var lastRead: String?
        var id: String
        var way: String
        var unsubscribed: String?
    }

    public init(_ found: [ListSenders.Sender], _ zone: ZoneClock) {
        senders = found.map { sender in
            Sender(
                account: sender.account.rawValue, address: sender.volume.address.addrSpec,
                name: sender.volume.address.displayName, messages: sender.volume.messages,
                read: sender.volume.read, lastRead: sender.volume.lastRead.map { zone.rfc3339($0) },
                id: sender.volume.newest.rawValue, way: sender.way.word,
                unsubscribed: sender.unsubscribedAt.map { zone.rfc3339($0) })
        }
    }
}

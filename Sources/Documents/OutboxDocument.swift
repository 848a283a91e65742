import Models
public import Pipeline

/// `opus.outbox/1`
public struct OutboxDocument: Encodable, Sendable {
    struct Unfinished: Encodable, Sendable {
        var part: String
        var isFailed: Bool
        var reason: String?
    }

    struct Item: Encodable, Sendable {
        var id: String
        var account: String
        var state: String
        var queued: String
        var due: String?
        var to: [String]
        var subject: String
        var messageID: String
        var attempts: Int
        var reason: String?
        var refusals: [String: String]
        var unfinished: [Unfinished]?
    }

    var schema = "opus.outbox/1"
    var items: [Item]

    public init(_ lines: [OutboxLine], zone: ZoneClock) {
        items = lines.map {
            Item(
                id: $0.id, account: $0.account.rawValue, state: $0.state.rawValue,
                queued: zone.rfc3339($0.queuedAt),
                due: $0.dueAt.map(zone.rfc3339), to: $0.recipients, subject: $0.subject,
                messageID: $0.messageID.rawValue, attempts: $0.attempts, reason: $0.reason,
                refusals: $0.refusals,
                unfinished: $0.unfinished.isEmpty
                    ? nil
                    : $0.unfinished.map {
                        Unfinished(part: $0.part.rawValue, isFailed: $0.isFailed, reason: $0.reason)
                    })
        }
    }
}

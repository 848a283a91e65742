public import Models
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

    struct Stranded: Encodable, Sendable {
        var account: String
        var mails: Int
    }

    var schema = "opus.outbox/1"
    var items: [Item]
    var stranded: [Stranded]?

    /// `stranded`: mail of accounts that opus.yaml no longer has.
    public init(
        _ lines: [OutboxLine], stranded: [(account: AccountID, mails: Int)] = [], zone: ZoneClock
    ) {
        if !stranded.isEmpty {
            self.stranded = stranded.map { Stranded(account: $0.account.rawValue, mails: $0.mails) }
        }
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

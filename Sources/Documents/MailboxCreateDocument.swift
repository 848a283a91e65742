import Models
public import Pipeline

/// `opus.mailbox-create/1`
public struct MailboxCreateDocument: Encodable, Sendable {
    var schema = "opus.mailbox-create/1"
    var account: String
    /// With `/` between the levels, whatever the server has.
    var name: String
    /// As the server writes it, decoded.
    var path: String
    /// Whether this command made it.
    var created: Bool
    var run: String?
    /// Why it was not made yet.
    var error: String?

    public init(_ made: MailboxMaking.Made) {
        account = made.mailbox.account.rawValue
        name = made.mailbox.plainName
        path = made.mailbox.displayName
        created = made.isDone
        run = made.report?.run?.description
        error = made.reason
    }
}

extension MailboxMaking.Made {
    /// Whether the command made it.
    public var isDone: Bool { report.map { !$0.drain.confirmed.isEmpty } ?? false }

    /// Why it was not made yet.
    public var reason: String? {
        guard let drain = report?.drain, !isDone else { return nil }
        return drain.failures.first?.reason ?? drain.interruption
    }
}

import Models
public import Pipeline

/// `opus.mailbox-create/1`
public struct MailboxCreateDocument: Encodable, Sendable {
    var schema = "opus.mailbox-create/1"
    var account: String
    /// With `/` between the levels, whatever delimiter the server uses.
    var name: String
    /// The server's form, decoded.
    var path: String
    /// Whether this command created it.
    var created: Bool
    var run: String?
    /// Why it was not created yet.
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
    /// Whether the command created it.
    public var isDone: Bool { report.map { !$0.drain.confirmed.isEmpty } ?? false }

    /// Why it was not created yet.
    public var reason: String? {
        guard let drain = report?.drain, !isDone else { return nil }
        return drain.failures.first?.reason ?? drain.interruption
    }
}

import Models
public import Pipeline

/// `opus.mailboxes/1`
public struct MailboxesDocument: Encodable, Sendable {
    struct Item: Encodable, Sendable {
        var account: String
        /// With `/` between the levels, whatever delimiter the server uses; the path if another mailbox has the same name.
        var name: String
        /// The server's form, decoded.
        var path: String
        var role: String?
        var messages: Int
        var unread: Int
    }

    var schema = "opus.mailboxes/1"
    var items: [Item]

    public init(_ lines: [MailboxLine]) {
        items = lines.map {
            Item(
                account: $0.mailbox.account.rawValue, name: $0.name,
                path: $0.mailbox.displayName,
                role: $0.mailbox.role?.rawValue, messages: $0.messages, unread: $0.unread)
        }
    }
}

/// Which events of which mailboxes a server shall report on its own. RFC 5465 §3.
///
///     notify      = "NOTIFY" SP ("SET" [SP "STATUS"] SP event-groups / "NONE")
///     event-group = "(" filter-mailboxes SP events ")"
public struct NotifyRequest: Equatable, Sendable {
    /// The mailboxes of an event group. RFC 5465 §6.
    public enum Mailboxes: Equatable, Sendable {
        case selected
        /// Like `.selected`, but the server sends EXPUNGE only during commands that allow it. RFC 5465 §6.2.
        case selectedDelayed
        case inboxes
        case personal
        case subscribed
        case subtree([[UInt8]])
        case mailboxes([[UInt8]])
    }

    /// A kind of event. RFC 5465 §5.
    public enum Event: String, Hashable, Sendable {
        case messageNew = "MessageNew"
        case messageExpunge = "MessageExpunge"
        case flagChange = "FlagChange"
        case mailboxName = "MailboxName"
        case subscriptionChange = "SubscriptionChange"
    }

    public struct Group: Equatable, Sendable {
        public var mailboxes: Mailboxes
        /// Empty: `NONE`.
        public var events: [Event]

        public init(_ mailboxes: Mailboxes, _ events: [Event]) {
            self.mailboxes = mailboxes
            self.events = events
        }
    }

    /// All events of messages, in the open mailbox and in all others of the account. A request for flag changes must
    /// include arrivals and removals. RFC 5465 §5.
    public static let everything = NotifyRequest(
        status: true,
        groups: [
            Group(.selected, [.messageNew, .messageExpunge, .flagChange]),
            Group(.personal, [.messageNew, .messageExpunge, .flagChange, .mailboxName]),
        ])

    /// Whether the server first sends the STATUS of all mailboxes.
    public var status: Bool
    /// Empty: the server sends no events.
    public var groups: [Group]

    public init(status: Bool = false, groups: [Group]) {
        self.status = status
        self.groups = groups
    }
}

extension CommandWriter {
    mutating func write(_ request: NotifyRequest) throws(EncodingError) {
        guard !request.groups.isEmpty else { return words("NONE") }
        words("SET")
        if request.status { words("STATUS") }
        for group in request.groups {
            words("(")
            try write(group.mailboxes)
            let events = group.events.map(\.rawValue).joined(separator: " ")
            words(events.isEmpty ? "NONE)" : "(\(events)))")
        }
    }

    mutating func write(_ mailboxes: NotifyRequest.Mailboxes) throws(EncodingError) {
        switch mailboxes {
        case .selected: close("SELECTED")
        case .selectedDelayed: close("SELECTED-DELAYED")
        case .inboxes: close("INBOXES")
        case .personal: close("PERSONAL")
        case .subscribed: close("SUBSCRIBED")
        case .subtree(let names):
            close("SUBTREE")
            try write(names)
        case .mailboxes(let names):
            close("MAILBOXES")
            try write(names)
        }
    }

    private mutating func write(_ names: [[UInt8]]) throws(EncodingError) {
        words("(")
        for (index, name) in names.enumerated() { try quoted(name, first: index == 0) }
        close(")")
    }
}

/// Which events of which mailboxes a server shall report on its own. RFC 5465 §3.
///
///     notify      = "NOTIFY" SP ("SET" [SP "STATUS"] SP event-groups / "NONE")
///     event-group = "(" filter-mailboxes SP events ")"
public struct NotifyRequest: Equatable, Sendable {
    /// RFC 5465 §6.
    public enum Mailboxes: Equatable, Sendable {
        case selected
        /// As `.selected`, but EXPUNGE only when nothing else runs.
        case selectedDelayed
        case inboxes
        case personal
        case subscribed
        case subtree([[UInt8]])
        case mailboxes([[UInt8]])
    }

    /// RFC 5465 §5.
    public enum Event: String, Hashable, Sendable {
        case messageNew = "MessageNew"
        case messageExpunge = "MessageExpunge"
        case flagChange = "FlagChange"
        case mailboxName = "MailboxName"
        case subscriptionChange = "SubscriptionChange"
    }

    public struct Group: Equatable, Sendable {
        public var mailboxes: Mailboxes
        /// Empty: no events, `NONE`.
        public var events: [Event]

        public init(_ mailboxes: Mailboxes, _ events: [Event]) {
            self.mailboxes = mailboxes
            self.events = events
        }
    }

    /// All that can happen to messages, in the open mailbox and in every other one of the account. Flags are never
    /// reported without arrivals and removals. RFC 5465 §5.
    public static let everything = NotifyRequest(
        status: true,
        groups: [
            Group(.selected, [.messageNew, .messageExpunge, .flagChange]),
            Group(.personal, [.messageNew, .messageExpunge, .flagChange, .mailboxName]),
        ])

    /// Whether the server shall tell the present numbers of all mailboxes first.
    public var status: Bool
    /// Empty switches all events off.
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

public import Models

/// One item of the session: the messages of a conversation that are in the inbox, or the messages of a
/// bundle.
public struct InboxItem: Hashable, Sendable {
    public var account: AccountID
    /// Newest first; never empty.
    public var messages: [EmailID]
    /// The mailboxes in which the messages were listed.
    var mailboxes: [EmailID: MailboxName] = [:]
    /// The writer of the newest message. Not trusted.
    public var from: String
    /// Not trusted.
    public var subject: String
    public var date: Timestamp
    public var isUnread = false
    /// The messages of a bundle, of several conversations.
    public var isBundle = false
    public var isFlagged = false
    /// It was deferred and has come back.
    public var isBack = false
    public var hasFiles = false
    /// Its labels. Not trusted.
    public var labels: [String] = []

    public init(
        account: AccountID, messages: [EmailID], from: String, subject: String, date: Timestamp
    ) {
        self.account = account
        self.messages = messages
        self.from = from
        self.subject = subject
        self.date = date
    }

    private enum Key: Hashable {
        case conversation(AccountID, ThreadID)
        case bundle(AccountID, Bundle)
    }

    /// Groups the messages by bundle and by conversation, in the order of the list. A conversation with an
    /// open task is already decided. A bundle of one message is shown as that message.
    ///
    /// `labels`: labels that make a bundle in addition to those of the action `bundle`.
    public static func items(
        of lines: [MessageLine], labels: [Keyword: Bundle] = [:], withDecided: Bool = false
    ) -> [InboxItem] {
        let open = lines.filter { !$0.isDecided }
        let bundles = MailBundle.grouping(open, labels: labels).bundles.flatMap { bundle in
            Dictionary(grouping: bundle.lines, by: \.facts.key.account).filter { $0.value.count > 1 }.map {
                (Key.bundle($0.key, bundle.bundle), MailBundle(bundle: bundle.bundle, lines: $0.value))
            }
        }
        let bundled = Dictionary(
            bundles.flatMap { key, bundle in bundle.lines.map { ($0.facts.id, (key, bundle)) } },
            uniquingKeysWith: { first, _ in first })
        var items: [InboxItem] = []
        var places: [Key: Int] = [:]
        var decided: Set<Int> = []
        for line in lines {
            let facts = line.facts
            let bundle = line.isDecided ? nil : bundled[facts.id]
            let key = bundle?.0 ?? .conversation(facts.key.account, facts.conversation)
            let index: Int
            if let known = places[key] {
                index = known
                if !items[index].messages.contains(facts.id) { items[index].messages.append(facts.id) }
            } else {
                index = items.count
                places[key] = index
                items.append(
                    InboxItem(
                        account: facts.key.account, messages: [facts.id],
                        from: bundle?.1.bundle.name ?? facts.from.first?.name ?? "",
                        subject: bundle?.1.counts ?? facts.subject, date: facts.received))
            }
            items[index].isBundle = bundle != nil
            if items[index].mailboxes[facts.id] == nil {
                items[index].mailboxes[facts.id] = facts.key.mailbox
            }
            items[index].isUnread = items[index].isUnread || line.isUnread
            items[index].isFlagged = items[index].isFlagged || facts.flags.contains(.flagged)
            items[index].isBack = items[index].isBack || line.isBack
            items[index].hasFiles =
                items[index].hasFiles || facts.attachments.contains { !$0.isInline }
            for label in facts.keywords.sorted().map(\.rawValue)
            where !items[index].labels.contains(label) { items[index].labels.append(label) }
            if line.isDecided { decided.insert(index) }
        }
        guard !withDecided, !decided.isEmpty else { return items }
        return items.indices.filter { !decided.contains($0) }.map { items[$0] }
    }
}

extension MessageLine {
    /// The message has an open task, and if that waits for an answer, the answer has not arrived.
    fileprivate var isDecided: Bool {
        states.contains { state in
            switch state {
            case .task, .waiting(answered: false): true
            case .waiting(answered: true), .answered, .deferred, .back: false
            }
        }
    }
}

public import Models

/// Facts about the account that steps need besides the plan.
public struct StepContext: Sendable {
    public var account: AccountID
    public var inbox: Mailbox
    /// The mailbox of each role: an existing one, or one to be created.
    public var mailboxes: [MailboxRole: Mailbox]
    public var now: Timestamp
    /// IANA name.
    public var timeZone: String
    /// Identifies one command of the user: the same request in another command is a new one. Empty for rules,
    /// whose requests are executed once.
    public var token = ""
    /// Identifies one command that applies rules again: their decisions are new requests.
    public var again = ""
    /// The names of messages that are not identified by their `Message-ID`.
    public var names = OwnNames()
    /// The current due dates of deferred messages, which the user may defer again.
    public var deferrals: [EmailID: DeferredUntil] = [:]
    /// Where open moves will take messages. A command of the user decides later than they do.
    public var headings: [EmailID: MailboxName] = [:]
    /// Messages in the inbox whose move waits until a mail or a copy of the same rule can be made.
    public var heldBack: Set<EmailID> = []
    /// The flags and labels that open steps will change, in the order of the journal.
    public var markings: [MessageKey: [Step.Kind]] = [:]

    public init(
        account: AccountID, inbox: Mailbox, mailboxes: [MailboxRole: Mailbox], now: Timestamp,
        timeZone: String
    ) {
        self.account = account
        self.inbox = inbox
        self.mailboxes = mailboxes
        self.now = now
        self.timeZone = timeZone
    }

    /// Notes what open steps will do, in the order of the journal.
    public mutating func expect(_ steps: [Step]) {
        let moves = HeldBackMoves(steps).moves
        heldBack = Set(moves.compactMap(\.message))
        let rows = Set(moves.compactMap(\.id))
        for step in steps where step.id.map(rows.contains) != true { expect(step) }
    }

    private mutating func expect(_ step: Step) {
        switch step.kind {
        case .move(_, to: let mailbox): if let message = step.message { headings[message] = mailbox.name }
        case .store(let key, _, _, _, _): markings[key, default: []].append(step.kind)
        case .createTodo, .updateTodo, .removeTodo, .restoreTodo, .append, .submit, .remove, .wait, .saveFile,
            .removeFile, .list, .createMailbox, .editThreads:
            break
        }
    }

    /// The message at its place in the account, if its move is held back.
    func placed(_ facts: MessageFacts) -> MessageFacts {
        guard heldBack.contains(facts.id), facts.key.mailbox == inbox.name else { return facts }
        var facts = facts
        facts.mailbox = inbox
        return facts
    }

    /// The message with the flags and labels that it will have after the open steps.
    func marked(_ facts: MessageFacts) -> MessageFacts {
        var facts = facts
        for kind in markings[facts.key] ?? [] {
            guard case .store(_, let flags, let noFlags, let keywords, let noKeywords) = kind else {
                continue
            }
            facts.flags = facts.flags.union(flags).subtracting(noFlags)
            facts.keywords = facts.keywords.union(keywords).subtracting(noKeywords)
        }
        return facts
    }

    /// Whether an open move will take the message to another mailbox than this one.
    func isLeaving(_ message: EmailID, for other: Mailbox) -> Bool {
        headings[message].map { $0 != other.name } ?? false
    }

    /// Whether the message is in the inbox or deferred, or will be.
    public func mayDefer(_ message: MessageFacts) -> Bool {
        isMailbox(message.mailbox, .inbox) || isMailbox(message.mailbox, .deferred)
            || headings[message.id] == mailbox(for: .deferred).name
    }

    /// Whether the message is in the mailbox with that role, and no open move takes it away.
    func stays(_ place: MessagePlace, in role: MailboxRole) -> Bool {
        isMailbox(place.mailbox, role) && !isLeaving(place.message, for: mailbox(for: role))
    }

    /// Always returns a mailbox: if the account has none with that role, one with the usual name will be
    /// created.
    public func mailbox(for role: MailboxRole) -> Mailbox {
        if role == .inbox { return inbox }
        if let mailbox = mailboxes[role] { return mailbox }
        let name = Self.usualName(role)
        return Mailbox(
            account: account, name: MailboxName(name), displayName: name, delimiter: inbox.delimiter,
            role: role)
    }

    /// The existing mailbox with the role; nil: it must be created.
    ///
    /// Gmail has no archive: a message is archived if it has no label but All Mail, so All Mail is the
    /// archive there. On other servers `\All` shows all messages, and nothing can be moved to it.
    public static func mailbox(for role: MailboxRole, among known: [Mailbox]) -> Mailbox? {
        if let own = known.first(where: { $0.role == role }) { return own }
        guard role == .archive else { return nil }
        return known.first { $0.role == .all && isGmailsOwn($0) }
    }

    /// Gmail's own mailboxes are below one of these names in every language; no other server uses them.
    public static func isGmailsOwn(_ mailbox: Mailbox) -> Bool {
        ["[Gmail]/", "[Google Mail]/"].contains { mailbox.name.description.hasPrefix($0) }
    }

    private static func usualName(_ role: MailboxRole) -> String {
        switch role {
        case .inbox: "INBOX"
        case .archive: "Archive"
        case .drafts: "Drafts"
        case .sent: "Sent"
        case .trash: "Trash"
        case .junk: "Junk"
        case .flagged: "Flagged"
        case .all: "All"
        case .deferred: "Deferred"
        }
    }

    /// The destination of a disposition; nil for `keep`, and for all other actions.
    func destination(of action: Action) -> Mailbox? {
        guard case .place(let place) = action else { return nil }
        if case .move(let mailbox) = place { return mailbox }
        return place.role.map { mailbox(for: $0) }
    }

    /// Whether the mailbox has that role in the account.
    public func isMailbox(_ mailbox: Mailbox, _ role: MailboxRole) -> Bool {
        mailbox.role == role || mailbox.name == self.mailbox(for: role).name
    }
}

/// A message that is ready to be sent.
public struct ComposedMail: Hashable, Sendable {
    public var message: [UInt8]
    /// The same for the same delegation in every run, so that only one draft is made.
    public var messageID: MessageID
    public var reversePath: String
    public var forwardPaths: [String]
    /// The mailbox for the copy of the mail; nil: the account's Sent.
    public var sentMailbox: Mailbox?

    public init(
        message: [UInt8], messageID: MessageID, reversePath: String, forwardPaths: [String],
        sentMailbox: Mailbox? = nil
    ) {
        self.message = message
        self.messageID = messageID
        self.reversePath = reversePath
        self.forwardPaths = forwardPaths
        self.sentMailbox = sentMailbox
    }
}

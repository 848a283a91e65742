extension Action {
    /// Where a message ends up.
    public enum Place: Hashable, Sendable {
        /// Where it is now.
        case keep
        case archive
        case trash
        case junk
        case move(to: Mailbox)
        /// It leaves the inbox until then.
        case deferUntil(DeferredUntil)
    }

    public static let keep = Action.place(.keep)
    public static let archive = Action.place(.archive)
    public static let trash = Action.place(.trash)
    public static let junk = Action.place(.junk)
    public static func move(to mailbox: Mailbox) -> Action { .place(.move(to: mailbox)) }
    public static func deferUntil(_ time: Timestamp) -> Action { .place(.deferUntil(.time(time))) }
    public static let deferSomeday = Action.place(.deferUntil(.someday))
}

extension Action.Place {
    var name: ActionName {
        switch self {
        case .keep: .keep
        case .archive: .archive
        case .trash: .trash
        case .junk: .junk
        case .move: .move
        case .deferUntil: .deferUntil
        }
    }

    var word: String {
        switch self {
        case .keep, .archive, .trash, .junk: name.rawValue
        case .move(let mailbox): "move=\(mailbox.displayName)"
        case .deferUntil(let until): "defer=\(until.word)"
        }
    }

    var identity: String {
        switch self {
        case .keep, .archive, .trash, .junk, .deferUntil: name.rawValue
        case .move(let mailbox): "move " + mailbox.name.description
        }
    }

    /// Whether older messages of the conversation move too. Trash and junk move one message only: anyone can write a
    /// `References` field and so join a conversation.
    public var takesThread: Bool {
        switch self {
        case .archive, .move, .deferUntil: true
        case .keep, .trash, .junk: false
        }
    }

    /// The role of the mailbox that the message goes to; nil: the mailbox has no role, or the message stays.
    public var role: MailboxRole? {
        switch self {
        case .archive: .archive
        case .trash: .trash
        case .junk: .junk
        case .deferUntil: .deferred
        case .keep, .move: nil
        }
    }
}

/// A decision about an item of the session, with the value that the user typed.
public enum InboxVerb: Hashable, Sendable {
    case archive
    case trash
    case junk
    /// A date phrase, or `someday`.
    case deferUntil(String)
    /// A mailbox, by name or role.
    case move(to: String)
    case label(String)
    /// Without a title, the subject is used.
    case task(title: String)
    /// A date phrase; empty: without a day to ask again.
    case wait(until: String)
    case delegate(to: String, note: String)
    /// A rule file that was made from the item, with its path and its text.
    case rule(path: String, text: String)
    /// A draft that the user wrote; it is saved in the Drafts mailbox.
    case draft

    /// Whether the verb decides the item, so that the next one is shown.
    public var decides: Bool {
        switch self {
        case .archive, .trash, .junk, .deferUntil, .move, .task, .wait, .delegate: true
        case .label, .rule, .draft: false
        }
    }

    /// Whether the verb changes the messages, or makes a task of them.
    var concernsMessages: Bool {
        switch self {
        case .archive, .trash, .junk, .deferUntil, .move, .label, .task, .wait, .delegate: true
        case .rule, .draft: false
        }
    }

    /// What the verb did, for the line below the list.
    public var word: String {
        switch self {
        case .archive: "archived"
        case .trash: "moved to the trash"
        case .junk: "moved to junk"
        case .deferUntil(let phrase): "deferred: \(phrase)"
        case .move(let mailbox): "moved to \(mailbox)"
        case .label(let label): "labelled \(label)"
        case .task: "task made"
        case .wait: "waiting for the answer"
        case .delegate(let whom, note: _): "delegated to \(whom)"
        case .rule(let path, text: _): "rule written to \(path)"
        case .draft: "draft saved"
        }
    }
}

/// A verb for some items, with the number that identifies it in the session.
public struct InboxOrder: Hashable, Sendable {
    public var number: Int
    public var verb: InboxVerb
    public var items: [InboxItem]
}

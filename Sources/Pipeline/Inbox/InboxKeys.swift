/// The action of a key in the session.
public enum InboxAction: String, CaseIterable, Sendable {
    case archive
    case deferUntil
    case task
    case delegate
    case wait
    case reply
    case replyAll
    case forward
    case label
    case move
    case trash
    case junk
    case unsubscribe
    case why
    case rule
    case undo
    case search
    case help
    case scroll
    case select
    case down
    case up
    case first
    case last
    case redraw
    case leave
    case suspend
    case quit

    /// Whether it makes something of one message, and cannot do so for a bundle.
    public var isForOneMail: Bool { [.task, .delegate, .wait].contains(self) }
}

/// The keys of the session: one table, which is also the help.
public enum InboxKeys {
    public struct Row: Sendable {
        /// A character, or a name such as `space` or `ctrl-l`. The bottom line shows only the first one.
        public var keys: [String]
        public var command: InboxAction
        /// The text in the help.
        public var help: String
        /// The text on the bottom line; nil: not shown there.
        public var hint: String?
    }

    public static let table: [Row] = [
        Row(keys: ["e"], command: .archive, help: "archive", hint: "archive"),
        Row(keys: ["h"], command: .deferUntil, help: "defer: asks until when", hint: "defer"),
        Row(keys: ["t"], command: .task, help: "make a task of it", hint: "task"),
        Row(keys: ["d"], command: .delegate, help: "delegate: asks to whom", hint: "delegate"),
        Row(keys: ["w"], command: .wait, help: "wait for the answer", hint: "wait"),
        Row(keys: ["r"], command: .reply, help: "reply, in your editor", hint: "reply"),
        Row(keys: ["a"], command: .replyAll, help: "reply to all, in your editor", hint: nil),
        Row(keys: ["f"], command: .forward, help: "forward, in your editor", hint: nil),
        Row(keys: ["l"], command: .label, help: "label: asks which", hint: "label"),
        Row(keys: ["v"], command: .move, help: "move: asks to which mailbox", hint: "move"),
        Row(keys: ["#"], command: .trash, help: "move to the trash", hint: "trash"),
        Row(keys: ["!"], command: .junk, help: "move to junk", hint: nil),
        Row(keys: ["u"], command: .unsubscribe, help: "unsubscribe from the list: asks first", hint: nil),
        Row(keys: ["."], command: .why, help: "show which rules match, and why", hint: nil),
        Row(keys: ["n"], command: .rule, help: "make a rule from it", hint: nil),
        Row(keys: ["z"], command: .undo, help: "undo the last decision, then the one before", hint: "undo"),
        Row(keys: ["/"], command: .search, help: "search: a query as in opus list", hint: nil),
        Row(keys: ["x"], command: .select, help: "select: the next verb is for all selected", hint: nil),
        Row(keys: ["space"], command: .scroll, help: "scroll the message, then the next one", hint: nil),
        Row(keys: ["j", "down"], command: .down, help: "the next one", hint: nil),
        Row(keys: ["k", "up"], command: .up, help: "the one before", hint: nil),
        Row(keys: ["home"], command: .first, help: "the first one", hint: nil),
        Row(keys: ["G", "end"], command: .last, help: "the last one", hint: nil),
        Row(keys: ["ctrl-l"], command: .redraw, help: "draw the screen again", hint: nil),
        Row(keys: ["esc"], command: .leave, help: "leave a search or a selection", hint: nil),
        Row(keys: ["ctrl-z"], command: .suspend, help: "stop; fg in the shell continues", hint: nil),
        Row(keys: ["?"], command: .help, help: "this help", hint: nil),
        Row(keys: ["q", "ctrl-c"], command: .quit, help: "quit; the rest stays undecided", hint: "quit"),
    ]

    private static let commands: [String: InboxAction] = Dictionary(
        table.flatMap { row in row.keys.map { ($0, row.command) } }, uniquingKeysWith: { first, _ in first })

    public static func command(of key: String) -> InboxAction? { commands[key] }

    /// One line per key.
    public static var help: [String] {
        table.map { row in
            let keys = row.keys.joined(separator: ", ")
            return keys + String(repeating: " ", count: max(1, 12 - keys.count)) + row.help
        }
    }

    /// The most frequently used keys, for the bottom line.
    public static var hints: String {
        table.compactMap { row in row.hint.map { row.keys[0] + " " + $0 } }.joined(separator: "  ")
    }
}

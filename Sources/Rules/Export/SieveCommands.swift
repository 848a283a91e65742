import Models

/// The Sieve commands of one rule, collected action by action.
struct SieveCommands {
    /// The user's addresses.
    let me: [String]
    /// The mailbox for `archive`, `trash` and `junk`, as the server names it.
    let folder: @Sendable (Action) -> String
    /// A mailbox that a rule names, as the server names it.
    let mailbox: @Sendable (String) -> String
    private(set) var lines: [String] = []
    private var marks = 0
    /// The mailbox in which the message is filed at the end; nil: it stays in the inbox.
    var place: String?
    /// Whether the mailbox is created if it is missing. RFC 5490 §3.2.
    var createsPlace = false
    private(set) var extensions: Set<String> = []
    private(set) var refusals: [(piece: String, reason: String)] = []

    init(
        me: [String], folder: @escaping @Sendable (Action) -> String,
        mailbox: @escaping @Sendable (String) -> String
    ) {
        self.me = me
        self.folder = folder
        self.mailbox = mailbox
    }

    /// Always true.
    mutating func add(_ line: String, requires extension: String...) -> Bool {
        lines.append(line)
        extensions.formUnion(`extension`)
        return true
    }

    /// Always true. RFC 5232 §3.
    mutating func flag(_ command: String, _ flag: String) -> Bool {
        marks += 1
        return add("\(command) \(SieveCondition.quoted(flag));", requires: "imap4flags")
    }

    /// Whether the message is marked, and nothing else.
    var isOnlyMarks: Bool { place == nil && lines.count == marks }

    /// Notes what the server cannot do, with the reason: a lower-case clause without a full stop. Always
    /// returns false.
    mutating func refuse(_ piece: String, _ reason: String) -> Bool {
        refusals.append((piece, reason))
        return false
    }
}

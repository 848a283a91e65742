import IMAPProtocol
import Models
import Rules

/// A rule file to be written. Every format is translated to this first.
struct Draft {
    static let maximumRules = 1_000

    let origin: String
    let format: ImportFormat
    var entries: [Entry] = []
    var notes: [ImportNote] = []
    /// Comments at the beginning of the file, about all rules.
    var remarks: [String] = []

    enum Entry {
        case rule(DraftRule)
        /// A `choose`: the first of these rules that matches.
        case choose([DraftRule])
        /// A filter without translated parts, as lines of a comment.
        case comment([String])
    }

    init(origin: String, format: ImportFormat) {
        self.origin = SourceText.oneLine(origin)
        self.format = format
    }

    mutating func dropped(_ line: Int, _ piece: String, _ reason: String) {
        note(ImportNote(kind: .dropped, line: line, piece: SourceText.oneLine(piece), reason: reason))
    }

    mutating func changed(_ line: Int, _ piece: String, _ reason: String) {
        note(ImportNote(kind: .changed, line: line, piece: SourceText.oneLine(piece), reason: reason))
    }

    private mutating func note(_ note: ImportNote) {
        if notes.last != note { notes.append(note) }
    }

    var ruleCount: Int {
        entries.reduce(0) { count, entry in
            switch entry {
            case .rule: count + 1
            case .choose(let rules): count + rules.count
            case .comment: count
            }
        }
    }
}

/// One rule to be written.
struct DraftRule {
    /// The name of the filter, or a description of it. The id is made from it.
    var name: String
    var description: String
    var when: DraftCondition
    var actions: [DraftAction] = []
    var stops = false
    var continues = false
    var isEnabled = true
    /// The line of the filter.
    var line: Int
    /// Lines of a comment above the rule: its untranslated parts.
    var comments: [String] = []
    /// The id, unique in the file; set when the file is written.
    var id = ""
    /// The keys of later rules that have precedence.
    var unlessKeys: [Int] = []
    /// The number by which other rules refer to this one.
    var key = 0
}

/// An action of a rule and its value, as in a rule file.
struct DraftAction: Hashable {
    enum Value: Hashable {
        case nothing
        /// Written without quotes: `read`.
        case word(String)
        /// Written in quotes.
        case text(String)
        /// A mapping; its values are written unchanged.
        case fields([String])
    }

    let name: ActionName
    let value: Value

    private init(_ name: ActionName, _ value: Value = .nothing) {
        self.name = name
        self.value = value
    }

    init(_ name: ActionName, _ text: String) { self.init(name, .text(text)) }

    static let keep = DraftAction(.keep)
    static let archive = DraftAction(.archive)
    static let trash = DraftAction(.trash)
    static let junk = DraftAction(.junk)
    static let flag = DraftAction(.flag)
    static let unflag = DraftAction(.unflag)
    static func move(_ mailbox: String) -> DraftAction { .init(.move, mailbox) }
    static func copy(_ mailbox: String) -> DraftAction { .init(.copy, mailbox) }
    static func label(_ name: String) -> DraftAction { .init(.label, name) }
    static func unlabel(_ name: String) -> DraftAction { .init(.unlabel, name) }
    static func mark(read: Bool) -> DraftAction { .init(.mark, .word(read ? "read" : "unread")) }
    /// `fields`: YAML such as `text: "Away"`.
    static func vacation(_ fields: [String]) -> DraftAction { .init(.vacation, .fields(fields)) }

    var isDisposition: Bool { name.family == .place }

    /// Whether the message goes to the trash: by the action, or into a mailbox of that name.
    var isTrashing: Bool {
        if name == .trash { return true }
        guard name == .move, case .text(let mailbox) = value else { return false }
        let last = mailbox.split { "/.".contains($0) }.last?.lowercased() ?? ""
        return SpecialUse.trash.wellKnownNames.contains(last)
    }

    /// The words for the id of a rule without a name.
    var words: String {
        let preposition = name == .move || name == .forward ? " to " : " "
        return switch value {
        case .nothing, .fields: name.rawValue
        case .word(let text), .text(let text): name.rawValue + preposition + text
        }
    }
}

extension DraftAction {
    /// The action for "forward"; nil: the text is not a plain address.
    static func forwarding(to text: String) -> DraftAction? {
        let isPlain = text.contains("@") && !text.hasPrefix("@") && !text.contains("*")
        return isPlain && ListEntry.isValid(text) ? DraftAction(.forward, text) : nil
    }

    static let forwardChange = "the forward is a draft until the rule says 'send: now'"
}

extension [DraftAction] {
    /// Adds an action: at most one disposition, and no duplicates. Returns whether it was added.
    mutating func add(_ action: DraftAction) -> Bool {
        if action.isDisposition, contains(where: \.isDisposition) { return contains(action) }
        if !contains(action) { append(action) }
        return true
    }

    var name: String { (first(where: \.isDisposition) ?? first)?.words ?? "rule" }
}

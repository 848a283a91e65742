import Rules

/// A rule file in the making: what every format is translated to before it is written.
struct Draft {
    static let maximumRules = 1_000

    let origin: String
    let format: ImportFormat
    var entries: [Entry] = []
    var notes: [ImportNote] = []
    /// What the head of the file says about all of its rules.
    var remarks: [String] = []

    enum Entry {
        case rule(DraftRule)
        /// The first of these that matches.
        case choose([DraftRule])
        /// A filter of which nothing is left, as lines of a comment.
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

/// One rule that will be written.
struct DraftRule {
    /// What the filter was called, or what it does: the id is made of it.
    var name: String
    var description: String
    var when: DraftCondition
    var actions: [DraftAction] = []
    var stops = false
    var continues = false
    var isEnabled = true
    /// Where it came from.
    var line: Int
    /// Lines of a comment above it: what of it was left out.
    var comments: [String] = []
    /// Unique in the file; given when it is written.
    var id = ""
    /// Rules that take precedence though they stand below, by their `key`.
    var unlessKeys: [Int] = []
    /// A number by which other rules refer to it.
    var key = 0
}

/// What a rule does, in the words of the rules language.
enum DraftAction: Hashable {
    case keep
    case archive
    case trash
    case junk
    case move(String)
    case label(String)
    case unlabel(String)
    case flag
    case unflag
    case mark(read: Bool)
    case vacation(text: String, subject: String?, days: Int?)
    /// To an address that was looked at; a draft.
    case forward(String)

    var isDisposition: Bool {
        switch self {
        case .keep, .archive, .trash, .junk, .move: true
        case .label, .unlabel, .flag, .unflag, .mark, .vacation, .forward: false
        }
    }

    /// For the id of a rule without a name.
    var words: String {
        switch self {
        case .keep: "keep"
        case .archive: "archive"
        case .trash: "trash"
        case .junk: "junk"
        case .move(let name): "move to \(name)"
        case .label(let name): "label \(name)"
        case .unlabel(let name): "unlabel \(name)"
        case .flag: "flag"
        case .unflag: "unflag"
        case .mark(let read): read ? "mark read" : "mark unread"
        case .vacation: "vacation"
        case .forward(let address): "forward to \(address)"
        }
    }
}

extension DraftAction {
    /// What becomes of "forward"; nil where the text is no plain address.
    static func forwarding(to text: String) -> DraftAction? {
        let isPlain = text.contains("@") && !text.hasPrefix("@") && !text.contains("*")
        return isPlain && ListEntry.isValid(text) ? .forward(text) : nil
    }

    static let forwardChange = "the forward is a draft until the rule says 'send: now'"
}

extension [DraftAction] {
    /// At most one disposition, and nothing twice.
    mutating func add(_ action: DraftAction) -> Bool {
        if action.isDisposition, contains(where: \.isDisposition) { return contains(action) }
        if !contains(action) { append(action) }
        return true
    }

    var name: String { (first(where: \.isDisposition) ?? first)?.words ?? "rule" }
}

import Models

/// Causes and origins as columns of the journal: a keyword for SQL, and the id of the rule or the verb.
extension Step.Cause {
    var columns: (cause: String, rule: String) {
        switch self {
        case .rule(let id): ("rule", id)
        case .hand(let verb): ("hand", verb)
        case .task(let change): ("task", change.rawValue)
        case .undo: ("undo", "")
        case .deferral: ("deferral", "")
        case .reply: ("reply", "")
        case .deferredList: ("deferral", Self.list)
        }
    }

    private static let list = "list"

    /// SQL: a step that is not bookkeeping.
    static let isNotList = "NOT (cause = 'deferral' AND rule = '\(list)')"

    /// nil: no version of the program writes these columns.
    init?(column: String, rule: String) {
        switch column {
        case "rule": self = .rule(rule)
        case "hand": self = .hand(rule)
        case "task":
            guard let change = TaskChange(rawValue: rule) else { return nil }
            self = .task(change)
        case "undo": self = .undo
        case "deferral": self = rule == Self.list ? .deferredList : .deferral
        case "reply": self = .reply
        case _: return nil
        }
    }
}

extension Plan.Origin {
    var column: String {
        switch self {
        case .rules: "rules"
        case .hand: "hand"
        }
    }

    init(column: String, rulesDigest: String) {
        self = column == "rules" ? .rules(digest: rulesDigest) : .hand
    }
}

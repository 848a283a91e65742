public import Models

/// One question of the review.
public struct ReviewItem: Sendable {
    public enum Section: String, Codable, CaseIterable, Sendable {
        case inbox
        case drafts
        case waiting
        case next
        case projects
        case someday
        case deferred
        case rules
    }

    public var section: Section
    /// Names the mail, the task or the rule: it is asked about once in a review, wherever an answer puts it.
    public var key: String
    /// As commands take it.
    public var id: String
    /// Words of strangers, not escaped.
    public var title: String
    public var detail: String
    /// When it was written, or comes back.
    public var date: TodoDate?

    /// The answers that it takes, the usual one first.
    public var choices: [ReviewChoice] {
        switch section {
        case .inbox: [.archive, .task, .tomorrow, .week, .someday, .trash, .keep]
        case .drafts: isDraft ? [.keep, .task, .discard] : [.keep, .task]
        case .waiting: [.keep, .week, .next, .done]
        case .next: [.keep, .done, .week, .someday, .cancel]
        case .projects: [.action, .keep, .someday, .done]
        case .someday: [.keep, .next, .done, .cancel]
        case .deferred: [.keep, .back, .week, .someday]
        case .rules: [.keep, .task, .disable]
        }
    }

    /// Not a mail of the outbox.
    private var isDraft: Bool { key.hasPrefix("draft ") }
}

/// An answer: one key.
public enum ReviewChoice: String, Codable, CaseIterable, Sendable {
    case keep
    case archive
    case trash
    case task
    case tomorrow
    case week
    case someday
    case done
    case cancel
    case next
    case back
    /// A next action of a project: the user types its title.
    case action
    /// A draft.
    case discard
    /// A rule: `enabled: false` in its file.
    case disable

    public var key: Character {
        switch self {
        case .keep: "k"
        case .archive: "e"
        case .trash: "#"
        case .task: "t"
        case .tomorrow: "1"
        case .week: "7"
        case .someday: "s"
        case .done: "d"
        case .cancel: "x"
        case .next: "n"
        case .back: "b"
        case .action: "a"
        case .discard: "#"
        case .disable: "x"
        }
    }

    /// What it does, for the line of keys.
    public func label(in section: ReviewItem.Section) -> String {
        switch self {
        case .keep: "keep"
        case .archive: "archive"
        case .trash: "trash"
        case .task: "make a task"
        case .tomorrow: "tomorrow"
        case .week: section == .waiting ? "ask in a week" : "in a week"
        case .someday: "someday"
        case .done: "done"
        case .cancel: "cancel"
        case .next: section == .waiting ? "decide now" : "do next"
        case .back: "back now"
        case .action: "add a next action"
        case .discard: "discard"
        case .disable: "disable"
        }
    }
}

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
    /// Identifies the mail, the task or the rule: each is asked about once in a review, wherever an answer
    /// moves it.
    public var key: String
    /// The id, as commands accept it.
    public var id: String
    /// Untrusted text, not escaped.
    public var title: String
    public var detail: String
    /// When it was written, or when it comes back.
    public var date: TodoDate?

    /// For a message, the mailbox in which it was listed.
    var mailbox: MailboxName?
    /// For a message, the messages of its conversation that were listed with it. An answer acts on no later one, which
    /// the user has not seen.
    var conversation: Set<EmailID> = []

    /// The possible answers; the usual one is first.
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

    /// A draft, and not a mail in the outbox.
    private var isDraft: Bool { key.hasPrefix("draft ") }
}

/// An answer, given with one key.
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
    /// Adds a next action to a project: the user types its title.
    case action
    /// Discards a draft.
    case discard
    /// Disables a rule: `enabled: false` in its file.
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

    /// What the answer does, for the line of keys.
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

// The user's decisions about which messages are one thread, and the settings for all other messages.

/// A decision of the user about threads. It overrides the references of the messages.
public enum ThreadEdit: Hashable, Codable, Sendable {
    /// The message and all answers to it become a separate thread.
    case split(EmailID)
    /// The threads of both messages become one.
    case join(EmailID, EmailID)

    /// The messages that the decision names.
    public var messages: [EmailID] {
        switch self {
        case .split(let message): [message]
        case .join(let one, let other): [one, other]
        }
    }
}

/// Decisions about threads to add and to remove.
public struct ThreadChange: Hashable, Codable, Sendable {
    public var added: [ThreadEdit]
    public var removed: [ThreadEdit]

    public init(added: [ThreadEdit] = [], removed: [ThreadEdit] = []) {
        self.added = added
        self.removed = removed
    }

    /// The change that undoes this one.
    public var inverse: ThreadChange { ThreadChange(added: removed, removed: added) }

    public var isEmpty: Bool { added.isEmpty && removed.isEmpty }
}

/// When a message without references is shown in a thread with the same subject.
public struct ThreadSettings: Hashable, Sendable {
    public enum Subjects: String, CaseIterable, Hashable, Sendable {
        /// If one of the two subjects is marked as a reply or a forward.
        case marked
        /// If the subjects are equal, with or without such a mark.
        case strict
        case off
    }

    public var subjects: Subjects
    /// The most days between the two messages.
    public var days: Int

    public init(subjects: Subjects = .marked, days: Int = 30) {
        self.subjects = subjects
        self.days = days
    }
}

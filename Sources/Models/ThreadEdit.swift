// The user's decisions about which messages are one thread, and the settings for all other messages.

/// A decision of the user about threads. It overrides what the messages name.
public enum ThreadEdit: Hashable, Codable, Sendable {
    /// The message and everything that answers it are a thread of their own.
    case split(EmailID)
    /// The threads of both messages are one.
    case join(EmailID, EmailID)

    /// The messages that it names.
    public var messages: [EmailID] {
        switch self {
        case .split(let message): [message]
        case .join(let one, let other): [one, other]
        }
    }
}

/// A change of the user's decisions about threads.
public struct ThreadChange: Hashable, Codable, Sendable {
    public var added: [ThreadEdit]
    public var removed: [ThreadEdit]

    public init(added: [ThreadEdit] = [], removed: [ThreadEdit] = []) {
        self.added = added
        self.removed = removed
    }

    /// What undoes it.
    public var inverse: ThreadChange { ThreadChange(added: removed, removed: added) }

    public var isEmpty: Bool { added.isEmpty && removed.isEmpty }
}

/// When messages that name no other message are shown with a thread of the same subject.
public struct ThreadSettings: Hashable, Sendable {
    public enum Subjects: String, CaseIterable, Hashable, Sendable {
        /// If one side is marked as a reply or a forward.
        case marked
        /// If the subjects are equal, marked or not.
        case strict
        case off
    }

    public var subjects: Subjects
    /// At most this many days between two messages.
    public var days: Int

    public init(subjects: Subjects = .marked, days: Int = 30) {
        self.subjects = subjects
        self.days = days
    }
}

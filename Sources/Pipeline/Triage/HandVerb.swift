import Models

/// A verb that the user gives by hand, before the account is known.
public struct HandVerb: Hashable, Sendable {
    /// An action with the value that was typed.
    public struct Effect: Hashable, Sendable {
        let action: ActionName
        let value: String
        /// Of a move: whether a missing mailbox is made.
        let createsMailbox: Bool

        private init(_ action: ActionName, _ value: String = "", createsMailbox: Bool = false) {
            self.action = action
            self.value = value
            self.createsMailbox = createsMailbox
        }

        public static let archive = Effect(.archive)
        public static let trash = Effect(.trash)
        public static let junk = Effect(.junk)
        /// A mailbox by name or role.
        public static func move(to mailbox: String, creating: Bool = false) -> Effect {
            Effect(.move, mailbox, createsMailbox: creating)
        }
        /// A mailbox by name or role.
        public static func copy(to mailbox: String) -> Effect { Effect(.copy, mailbox) }
        public static func label(_ label: String) -> Effect { Effect(.label, label) }
        public static func unlabel(_ label: String) -> Effect { Effect(.unlabel, label) }
        public static let flag = Effect(.flag)
        public static let unflag = Effect(.unflag)
        public static let read = Effect(.mark, "read")
        public static let unread = Effect(.mark, "unread")
        /// Words of a date, or `someday`.
        public static func deferUntil(_ phrase: String) -> Effect { Effect(.deferUntil, phrase) }
        /// Deferred messages come back now.
        public static let cancelDeferral = Effect(.deferUntil, Self.none)

        static let none = "none"

        var isCancel: Bool { action == .deferUntil && value == Self.none }
    }

    public var effect: Effect
    /// nil: as rules do. Archive and move take the conversation; trash, junk and marks are for the one message.
    public var takesThread: Bool?
    /// Also messages that `protect` holds.
    public var isForced: Bool

    public init(_ effect: Effect, takesThread: Bool? = nil, isForced: Bool = false) {
        self.effect = effect
        self.takesThread = takesThread
        self.isForced = isForced
    }

    /// As it is in the journal: the action, and of `mark` its word.
    public var name: String { effect.action == .mark ? effect.value : effect.action.rawValue }
}

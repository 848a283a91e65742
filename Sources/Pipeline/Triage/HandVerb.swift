import Models

/// A verb of the user, before the account is known.
public struct HandVerb: Hashable, Sendable {
    /// An action with the typed value.
    public struct Effect: Hashable, Sendable {
        let action: ActionName
        let value: String
        /// For a move: whether to create a missing mailbox.
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
        /// A date phrase, or `someday`.
        public static func deferUntil(_ phrase: String) -> Effect { Effect(.deferUntil, phrase) }
        /// Returns deferred messages now.
        public static let cancelDeferral = Effect(.deferUntil, Self.none)

        static let none = "none"

        var isCancel: Bool { action == .deferUntil && value == Self.none }
    }

    public var effect: Effect
    /// nil: as for rules. Archive and move include the conversation; trash, junk and marks apply to the one
    /// message.
    public var takesThread: Bool?
    /// Whether messages under `protect` are changed, too.
    public var isForced: Bool

    public init(_ effect: Effect, takesThread: Bool? = nil, isForced: Bool = false) {
        self.effect = effect
        self.takesThread = takesThread
        self.isForced = isForced
    }

    /// The name in the journal: the action, and for `mark` its value.
    public var name: String { effect.action == .mark ? effect.value : effect.action.rawValue }
}

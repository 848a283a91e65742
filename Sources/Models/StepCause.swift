/// Why a step is in the journal: a rule, a command, a changed task, or opus itself.
extension Step {
    public enum Cause: Hashable, Sendable {
        /// The rule with this id.
        case rule(String)
        /// A command that the user typed, by its verb: `archive`, `task from`, `send`.
        case hand(String)
        /// A change of a task, which its mail follows.
        case task(TaskChange)
        /// `opus undo`.
        case undo
        /// A deferred message is due and goes back to the inbox.
        case deferral
        /// A reply came, and opus notes it on its task.
        case reply
        /// The list of deferred messages that opus keeps in a mailbox.
        case deferredList

        /// The id of the rule; nil for every other cause.
        public var rule: String? {
            switch self {
            case .rule(let id): id
            case .hand, .task, .undo, .deferral, .reply, .deferredList: nil
            }
        }

        /// The line of a nudge leaves the notes of its task, because its draft is gone.
        public static let nudgeNote = Self.hand("nudge note")

        /// Whether opus changed a task because of mail, without a command or a rule.
        public var isNote: Bool { self == .reply || self == .nudgeNote }

        public var isByHand: Bool {
            switch self {
            case .hand: true
            case .rule, .task, .undo, .deferral, .reply, .deferredList: false
            }
        }

        /// Whether the user chose this place for this message. The screener, bundles and the first day move messages
        /// because of a sender, a schedule or an age, so their moves do not count.
        public var isChoiceOfPlace: Bool {
            guard case .hand(let verb) = self else { return false }
            return !Self.ofManyMessages.contains(verb)
        }

        private static let ofManyMessages: Set<String> = [
            "screener", "approve", "deny", "clear", "bundle", "clear bundle", "order not-this-sender",
            "backlog",
        ]

        /// The name for people and for the field `rule` of documents: the id of the rule, the verb, or `undo`.
        public var name: String {
            switch self {
            case .rule(let id): id
            case .hand(let verb): verb
            case .task(let change): change.rawValue
            case .undo: "undo"
            case .deferral: "deferral"
            case .reply: "task reply"
            case .deferredList: "deferred list"
            }
        }
    }
}

/// How a task changed, as far as it concerns its mail.
public enum TaskChange: String, Hashable, Sendable, CaseIterable {
    case done = "task done"
    case cancelled = "task cancelled"
    case reopened = "task reopened"
    case start = "task start"
    case waiting = "task waiting"
    case scheduled = "task scheduled"
    case someday = "task someday"
    case list = "task list"
    case categories = "task categories"

    /// Whether it moves mail out of the inbox, so that another change of the task can bring it back.
    public var putsAway: Bool {
        switch self {
        case .done, .cancelled, .waiting, .scheduled, .someday: true
        case .reopened, .start, .list, .categories: false
        }
    }
}

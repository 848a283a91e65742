public import Models

/// The inputs of rules other than the message: the clock, the time zone, the user, the mailboxes.
public struct RuleContext: Sendable {
    /// Reading the clock ends the ``validity``.
    public var now: Timestamp {
        get {
            validity?.end()
            return time
        }
        set { time = newValue }
    }
    /// The clock, for values on which no decision depends.
    public private(set) var time: Timestamp
    /// The name of the protection of ``awaited`` messages.
    public static let awaitedProtection = "the answer to an open task"
    /// The name of the protection of ``deferredByHand`` messages.
    public static let deferralProtection = "your deferral, until you open it"
    /// How long the judgement stays the same; nil: the caller does not need it.
    public var validity: Validity?
    /// IANA name.
    public var timeZone: String
    /// The user's own addresses.
    public var me: [EmailAddress]
    /// The people to whom the user gave names (`people:` of opus.yaml).
    public var people: [EmailAddress] = []
    /// Addresses to which the user has written (`EmailAddress.mailComparable`).
    public var known: Set<String>
    /// The mailboxes of the account, for resolving `move:`.
    public var mailboxes: [Mailbox]
    /// The mailbox that the account would create for a name; nil: the name is not supported.
    public var newMailbox: (@Sendable (String) -> Mailbox?)?
    /// What rules have done before: each rule acts once.
    public var remembered: Set<RememberedMatch>
    /// What rules have done to the message in this plan if it is judged again: each rule acts once here, too.
    public var planned: Set<RememberedMatch> = []
    /// Messages that had not arrived yet, when the message is judged as in an earlier triage: they do not
    /// count in its conversation. They still count for who wrote last, because mail that the user wrote does
    /// not arrive.
    public var notYet: Set<EmailID> = []
    /// The rules that the user undid in a conversation: they ignore it.
    public var reversed: [ThreadID: Set<String>] = [:]
    /// When a rule last told a sender that the user is away, by `EmailAddress.comparable`.
    public var autoReplies: [String: Timestamp] = [:]
    /// When each rule that answers came into force. A rule without an entry does so now. nil: unknown, and
    /// mail of earlier days is answered too.
    public var answerStarts: [String: Timestamp]?
    /// All messages of a conversation, each once; only if a rule needs it (``FactNeeds/thread``).
    public var threads: [ThreadID: [MessageFacts]] = [:]
    /// The open tasks of the messages; only if a rule needs them (``FactNeeds/tasks``).
    public var todos: [TodoID: Todo] = [:]
    /// For tasks that wait for the answer to a mail of the user: when that mail was sent. nil: it has not
    /// been sent, and the wait has not begun. A task without an entry has waited since it was made.
    public var waitsSince: [TodoID: Timestamp?] = [:]
    /// The open tasks whose wait a person has answered; nil: no rule needs it (``FactNeeds/answers``).
    public var answered: Set<TodoID>?
    /// The messages that a person wrote in answer to an open task: only rules with a condition on tasks move them.
    public var awaited: Set<EmailID> = []
    /// The messages that came back after the user deferred them, and are not opened yet: only rules with a condition on
    /// returns move them.
    public var deferredByHand: Set<EmailID> = []
    /// The messages that came back at the end of a deferral; nil: no rule needs it (``FactNeeds/returns``).
    public var returned: Set<EmailID>?
    /// The limits for mail that existed before rules were first applied; nil: no limits.
    public var firstDay: FirstDayLimit?
    /// The number of messages of each writer (`EmailAddress.comparable`) in the account; only if a rule needs
    /// it (``FactNeeds/senders``).
    public var senderCounts: [String: Int] = [:]
    /// The position of each message among those of its writer, by arrival. If it is not nil, `sender:`
    /// conditions use it, so that later messages do not matter.
    public var writerRanks: [EmailID: Int]?
    /// When the messages of each writer arrived, the earliest first. If it is not nil, mail is judged in its
    /// state on arrival, and only earlier mail of writers and conversations counts.
    public var senderArrivals: [String: [Timestamp]]?
    /// When the messages of each writer arrived, the earliest first; nil: no rule needs it
    /// (``FactNeeds/senderTimes``).
    public var senderTimes: [String: [Timestamp]]?
    /// For every later copy, when the first one arrived; nil: unknown, because no rule needs it
    /// (``FactNeeds/copies``).
    public var earlierCopies: [EmailID: Timestamp]?
    /// The extracted text of a message's files; nil: no text was ever extracted.
    public var fileText: (@Sendable (EmailID) -> String?)?
    /// The names of trusted servers in `Authentication-Results`, in lower case.
    /// RFC 8601 §2.5.
    public var authenticationServers: Set<String> = []
    /// When rules with timers (`on:`) last ran, by their id.
    public var timers: [String: Timestamp] = [:]
    /// Whether the workspace allows rules to send mail.
    public var allowSend: Bool
    /// Why this account must not send mail, whatever the workspace allows; nil: it may.
    public var sendRefusal: String?
    /// Whether `03/04` is the third of April.
    public var dayFirst: Bool
    /// In seconds of the day.
    public var workdayStart: Int
    public var workdayEnd: Int
    /// 1 is Monday. Never empty.
    public var businessDays = Set(1...5)

    public init(
        now: Timestamp, timeZone: String, me: [EmailAddress] = [], known: Set<String> = [],
        mailboxes: [Mailbox] = [], remembered: Set<RememberedMatch> = [], allowSend: Bool = false,
        dayFirst: Bool = true, workdayStart: Int = 9 * 3_600, workdayEnd: Int = 18 * 3_600
    ) {
        time = now
        self.timeZone = timeZone
        self.me = me
        self.known = known
        self.mailboxes = mailboxes
        self.remembered = remembered
        self.allowSend = allowSend
        self.dayFirst = dayFirst
        self.workdayStart = workdayStart
        self.workdayEnd = workdayEnd
    }
}

extension RuleContext {
    /// Whether the rule has nothing left to do for the message.
    func isSettled(_ rule: String, _ facts: MessageFacts) -> Bool {
        let match = RememberedMatch(rule: rule, message: facts.id)
        return remembered.contains(match) || planned.contains(match)
            || reversed[facts.thread]?.contains(rule) == true
    }
}

/// The decisions of the rules about one message.
public struct Evaluation: Hashable, Sendable {
    /// Marks first, the disposition last. Empty: the message is kept.
    public var decisions: [Plan.Decision] = []
    /// Dispositions of later rules, or those that `protect` prevented.
    public var shadowed: [Plan.Decision] = []
    /// Dispositions that the user's deferral prevented, and that count as done: the user decides about the message.
    public var givenUp: [Plan.Decision] = []
    /// The `protect` entry that kept the message in place.
    public var protectedBy: String?
    /// The `protect` entry that applies to the message, whether or not it prevented anything.
    public var protection: String?
    public var warnings: [String] = []
    /// Rules that match but have an action that cannot be made. Their reasons are also warnings.
    public var failures: [RuleFailure] = []
    /// The disposition comes from a rule for second copies, and the message is one: it applies to this copy
    /// only.
    public var isForCopyAlone = false
    /// Rules that were reached and whose conditions matched, in order.
    public var matchedRules: [String] = []

    public init() {}

    public var disposition: Action { decisions.last { $0.action.isDisposition }?.action ?? .keep }
}

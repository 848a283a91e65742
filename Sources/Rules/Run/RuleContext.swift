public import Models

/// The context of rules, besides the message: the clock, the zone, the user, the mailboxes.
public struct RuleContext: Sendable {
    public var now: Timestamp
    /// IANA name.
    public var timeZone: String
    /// The user's own addresses.
    public var me: [EmailAddress]
    /// Addresses written to before (`EmailAddress.comparable`).
    public var known: Set<String>
    /// The mailboxes of the account: they resolve `move:`.
    public var mailboxes: [Mailbox]
    /// The mailbox that the account would have under a new name; nil for one that it cannot have.
    public var newMailbox: (@Sendable (String) -> Mailbox?)?
    /// What rules have done before: each acts once.
    public var remembered: Set<RememberedMatch>
    /// What rules do with the message in this plan, where it is judged again: each acts once, too.
    public var planned: Set<RememberedMatch> = []
    /// Messages that had not arrived yet when the message is judged as in an earlier triage: they do not count in
    /// its conversation. They still count for who wrote last: mail that the user wrote does not arrive.
    public var notYet: Set<EmailID> = []
    /// The rules that the user undid in a conversation: they leave it alone.
    public var reversed: [ThreadID: Set<String>] = [:]
    /// When each sender was last answered by a rule.
    public var autoReplies: [AutoReplyKey: Timestamp] = [:]
    /// Every message of a conversation, each once; only where a rule asks (``FactNeeds/thread``).
    public var threads: [ThreadID: [MessageFacts]] = [:]
    /// The open tasks of the messages; only where a rule asks (``FactNeeds/tasks``).
    public var todos: [TodoID: Todo] = [:]
    /// Of tasks that wait for the answer to the user's mail: when that mail was sent. nil: it has not been sent, and
    /// the wait has not begun. A task that is not in it has waited since it was made.
    public var waitsSince: [TodoID: Timestamp?] = [:]
    /// The open tasks whose wait a person has answered; nil: no rule asks (``FactNeeds/answers``).
    public var answered: Set<TodoID>?
    /// The messages that came back at the end of a deferral; nil: no rule asks (``FactNeeds/returns``).
    public var returned: Set<EmailID>?
    /// What rules make of mail that was there before they first ran; nil: the same as of any mail.
    public var firstDay: FirstDayLimit?
    /// How many messages of a writer (`EmailAddress.comparable`) the account holds; only where a rule asks
    /// (``FactNeeds/senders``).
    public var senderCounts: [String: Int] = [:]
    /// Which message of its writer each one is, by arrival. Not nil: `sender:` conditions ask for this number, so that it
    /// does not matter how many more have come since.
    public var writerRanks: [EmailID: Int]?
    /// When each message of a writer came, the earliest first. Not nil: mail is judged as it arrived, and of writers and
    /// conversations only mail that had come by `now` counts.
    public var senderArrivals: [String: [Timestamp]]?
    /// When each message of a writer came, the earliest first; nil: no rule asks (``FactNeeds/senderTimes``).
    public var senderTimes: [String: [Timestamp]]?
    /// When the first copy came, for every message that is a later one; nil: opus did not check, because no rule asks
    /// (``FactNeeds/copies``).
    public var earlierCopies: [EmailID: Timestamp]?
    /// What was read of the files of a message; nil: no file was ever read.
    public var fileText: (@Sendable (EmailID) -> String?)?
    /// The names of trusted servers in `Authentication-Results`, in lower case.
    /// RFC 8601 §2.5.
    public var authenticationServers: Set<String> = []
    /// When rules with a time of their own (`on:`) last ran, by their id.
    public var timers: [String: Timestamp] = [:]
    /// Whether the workspace lets rules send mail.
    public var allowSend: Bool
    /// Why mail of this account is not sent, whatever the workspace lets; nil: it may be.
    public var sendRefusal: String?
    /// Whether `03/04` is the third of April.
    public var dayFirst: Bool
    /// Seconds of the day.
    public var workdayStart: Int
    public var workdayEnd: Int

    public init(
        now: Timestamp, timeZone: String, me: [EmailAddress] = [], known: Set<String> = [],
        mailboxes: [Mailbox] = [], remembered: Set<RememberedMatch> = [], allowSend: Bool = false,
        dayFirst: Bool = true, workdayStart: Int = 9 * 3_600, workdayEnd: Int = 18 * 3_600
    ) {
        self.now = now
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
    /// Whether a rule that matches has nothing left to do.
    func isSettled(_ rule: String, _ facts: MessageFacts) -> Bool {
        let match = RememberedMatch(rule: rule, message: facts.id)
        return remembered.contains(match) || planned.contains(match)
            || reversed[facts.thread]?.contains(rule) == true
    }
}

/// What the rules decided about one message.
public struct Evaluation: Hashable, Sendable {
    /// Marks first, the disposition last. Empty means: keep.
    public var decisions: [Plan.Decision] = []
    /// Dispositions that a later rule wanted, or that `protect` forbade.
    public var shadowed: [Plan.Decision] = []
    /// The `protect` entry that kept the message in place.
    public var protectedBy: String?
    /// The `protect` entry that holds for the message, whether or not it had to prevent anything.
    public var protection: String?
    public var warnings: [String] = []
    /// The disposition is that of a rule for second copies, and the message is one: it is for this copy alone.
    public var isForCopyAlone = false
    /// Rules whose conditions held and that were reached, in order.
    public var matchedRules: [String] = []

    public init() {}

    public var disposition: Action { decisions.last { $0.action.isDisposition }?.action ?? .keep }
}

/// A rule that answers by itself, and a sender whom it answered.
public struct AutoReplyKey: Hashable, Sendable {
    public var rule: String
    /// `EmailAddress.comparable`.
    public var sender: String

    public init(rule: String, sender: String) {
        self.rule = rule
        self.sender = sender
    }
}

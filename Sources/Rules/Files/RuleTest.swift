import Models

/// A test in a rule file: a mail, and the expected result of the rules.
struct RuleTest: Sendable {
    var name: String
    var file: String
    var line: Int
    /// The clock: RFC 3339, or a date read in the test's zone. nil: the clock of the run.
    var at: String?
    var timeZone: String?
    var account: AccountID?
    var mail = Mail()
    var expected: [Expectation] = []

    struct Mail: Sendable {
        var addresses: [String: [EmailAddress]] = [:]
        var subject = ""
        var text: String? = ""
        var headers: [HeaderField] = []
        var attachments: [Attachment] = []
        /// What was read of the attachments.
        var fileTexts: [String] = []
        var date: String?
        var mailbox = "INBOX"
        var flags: Set<Flag> = []
        var keywords: Set<Keyword> = []
        var size = 0
        var hasOpenTask = false
        var known: [EmailAddress] = []
        /// The other messages of the conversation.
        var thread: [Mail] = []
        /// Open tasks of the conversation, besides the nameless one of `open-task`.
        var tasks: [OpenTask] = []
        /// Messages of its writer, this one among them.
        var senderCount = 1
        /// Whether a copy of it came before.
        var isDuplicate = false
        /// It came back at the end of a deferral.
        var isBack = false
        /// The start of the event of its calendar part, as a date phrase; it lasts an hour, or a day.
        var event: String?
        /// When its writer wrote before.
        var senderLast: String?
        /// What the trusted server says, by method.
        var authentication: [String: String] = [:]
        /// What was found out about its signature.
        var signature: SignatureVerdict.Outcome?
    }

    struct OpenTask: Sendable {
        var list = GTDList.next
        /// Phrases, read by the test's clock.
        var due: String?
        var created: String?
        /// A person has answered.
        var isAnswered = false
    }

    /// One line under `expect:`.
    enum Expectation: Sendable {
        case rule(String?)
        case disposition(String)
        /// What an action makes; see ``ActionTemplate/expectation``.
        case action(ActionExpectation.Check)
        case protectedBy(String)
    }
}

import Models

/// A test in a rule file: a mail, and the expected result of the rules.
struct RuleTest: Sendable {
    var name: String
    var file: String
    var line: Int
    /// The clock: RFC 3339, or a date in the test's time zone. nil: the clock of the run.
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
        /// The extracted texts of the attachments.
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
        /// Open tasks of the conversation, in addition to the unnamed one of `open-task`.
        var tasks: [OpenTask] = []
        /// The number of messages of its writer, including this one.
        var senderCount = 1
        /// Whether a copy of it arrived earlier.
        var isDuplicate = false
        /// Whether it came back at the end of a deferral.
        var isBack = false
        /// The start of the event in its calendar part, as a date phrase; the event lasts an hour, or a day.
        var event: String?
        /// When its writer last wrote before.
        var senderLast: String?
        /// The results of the trusted server, by method.
        var authentication: [String: String] = [:]
        /// The result of checking its signature.
        var signature: SignatureVerdict.Outcome?
    }

    struct OpenTask: Sendable {
        var list = GTDList.next
        /// Date phrases, relative to the test's clock.
        var due: String?
        var created: String?
        /// Whether a person has answered.
        var isAnswered = false
    }

    /// One line under `expect:`.
    enum Expectation: Sendable {
        case rule(String?)
        case disposition(String)
        /// The expected action; see ``ActionTemplate/expectation``.
        case action(ActionExpectation.Check)
        case protectedBy(String)
    }
}

/// The wait for an answer: whom the user asked, who has answered, and its state.
public struct Wait: Hashable, Sendable {
    public struct Answer: Hashable, Sendable {
        public var message: EmailID
        public var messageID: MessageID?
        public var from: EmailAddress
        public var received: Timestamp
        /// The answer names no mail of the user; only the person and the subject match.
        public var isGuess: Bool

        public init(
            message: EmailID, messageID: MessageID?, from: EmailAddress, received: Timestamp, isGuess: Bool
        ) {
            self.message = message
            self.messageID = messageID
            self.from = from
            self.received = received
            self.isGuess = isGuess
        }

        /// Days of the calendar from the question to this answer; nil: not computed.
        public var days: Int64?
    }

    /// An automatic reply that says a person is away.
    public struct Absence: Hashable, Sendable {
        public var message: EmailID
        public var from: EmailAddress
        /// nil: the reply names no day.
        public var until: CalendarDate?

        public init(message: EmailID, from: EmailAddress, until: CalendarDate?) {
            self.message = message
            self.from = from
            self.until = until
        }
    }

    public struct Failure: Hashable, Sendable {
        public var message: EmailID
        public var recipients: [EmailAddress]
        public var received: Timestamp

        public init(message: EmailID, recipients: [EmailAddress], received: Timestamp) {
            self.message = message
            self.recipients = recipients
            self.received = received
        }
    }

    public var state: WaitState
    /// When the question was sent; nil: it was not.
    public var since: Timestamp?
    public var asked: [EmailAddress]
    /// Answers that people wrote, the earliest first.
    public var answers: [Answer] = []
    public var absences: [Absence] = []
    public var failures: [Failure] = []
    /// When to ask again.
    public var askAt: Timestamp?

    public init(asked: [EmailAddress], since: Timestamp?, askAt: Timestamp?) {
        self.asked = asked
        self.since = since
        self.askAt = askAt
        state = .drafted
    }

    // MARK: Conclusions

    /// The people who have not answered yet.
    public var missing: [EmailAddress] {
        let answered = Set(answers.map(\.from.comparable))
        if asked.count <= 1, !answered.isEmpty { return [] }
        return asked.filter { !answered.contains($0.comparable) }
    }

    /// Whether the day to ask again has come for someone whom the mail has reached.
    public func isLate(at now: Timestamp) -> Bool {
        guard state == .undelivered, let askAt, askAt <= now else { return state == .overdue }
        let unreached = Set(failures.flatMap(\.recipients).map(\.comparable))
        return missing.contains { !unreached.contains($0.comparable) }
    }

    /// Whether everyone has answered. If the user asked a single person, any recipient of the same mail may answer.
    public var isAnswered: Bool { !answers.isEmpty && missing.isEmpty }

    /// The answers up to the one that completed the wait; empty: someone has not answered yet. Later answers decide
    /// nothing: if opus had run before they came, the wait would have ended without them.
    public var completing: ArraySlice<Answer> {
        var missing = Set(asked.map(\.comparable))
        for (index, answer) in answers.enumerated() {
            missing.remove(answer.from.comparable)
            if asked.count <= 1 || missing.isEmpty { return answers[...index] }
        }
        return []
    }

    /// The answer that completed the wait.
    public var lastAnswer: Answer? { state == .answered ? completing.last : nil }

    /// Whether the answers complete the task, so that the user decides nothing.
    public func isClosed(by policy: ReplyPolicy?) -> Bool {
        policy == .close && state == .answered && !completing.contains(where: \.isGuess)
    }

    /// Days from the question to an answer. The answer of the next morning came after one day.
    public func days(until answer: Answer) -> Int64 {
        answer.days ?? max(0, (answer.received - (since ?? answer.received)) / 86_400)
    }
}

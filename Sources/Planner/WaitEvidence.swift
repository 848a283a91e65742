public import Models

/// The known facts about a wait, before it is judged.
public struct WaitEvidence: Sendable {
    /// A message that may be an answer.
    public struct Candidate: Sendable {
        public var message: EmailID
        public var messageID: MessageID?
        public var from: [EmailAddress]
        public var subject: String
        public var received: Timestamp
        /// The identifiers in `In-Reply-To` and `References`.
        public var names: Set<MessageID>
        /// Whether it is in the thread of the question.
        public var isInThread: Bool
        public var kind: AnswerKind

        public init(
            message: EmailID, messageID: MessageID? = nil, from: [EmailAddress], subject: String,
            received: Timestamp, names: Set<MessageID> = [], isInThread: Bool = true,
            kind: AnswerKind = .human
        ) {
            self.message = message
            self.messageID = messageID
            self.from = from
            self.subject = subject
            self.received = received
            self.names = names
            self.isInThread = isInThread
            self.kind = kind
        }
    }

    public var todo: Todo
    /// nil: the question is a draft.
    public var since: Timestamp?
    /// To and Cc of the sent mail.
    public var reached: [EmailAddress]
    /// The writers of the mail that the question answers: their Reply-To may be the address of a team, from which they do
    /// not write.
    public var answered: [EmailAddress] = []
    /// The `Message-ID`s to which an answer refers: of the question, and of the user's later mail in its
    /// thread.
    public var questions: Set<MessageID>
    /// When the user last wrote to each person in the thread, by `EmailAddress.mailComparable`: an earlier bounce of that
    /// person no longer counts.
    public var lastWritten: [String: Timestamp]
    public var subject: String
    public var candidates: [Candidate]

    public init(
        todo: Todo, since: Timestamp?, reached: [EmailAddress] = [], questions: Set<MessageID> = [],
        lastWritten: [String: Timestamp] = [:], subject: String = "", candidates: [Candidate] = []
    ) {
        self.todo = todo
        self.since = since
        self.reached = reached
        self.questions = questions
        self.lastWritten = lastWritten
        self.subject = subject
        self.candidates = candidates
    }
}

/// Compares the subjects of a question and of its answer.
public enum PlainSubject {
    /// The subject in lower case, without prefixes for replies and forwards (`Re:`, `AW[2]:`, `回复：`), and
    /// without repeated spaces.
    public static func of(_ subject: String) -> String {
        var rest = subject.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")[...]
        while let colon = rest.firstIndex(where: { $0 == ":" || $0 == "\u{FF1A}" }) {
            let mark = rest[..<colon].prefix { $0.isLetter }
            let count = rest[..<colon].dropFirst(mark.count)
            guard (1...longestMark).contains(mark.count),
                count.allSatisfy({ "[]()^ 0123456789".contains($0) })
            else { break }
            rest = rest[rest.index(after: colon)...].drop { $0 == " " }
        }
        return String(rest)
    }

    private static let longestMark = 5
}

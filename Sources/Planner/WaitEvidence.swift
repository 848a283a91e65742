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
    /// The `Message-ID`s to which an answer refers: of the question, and of the user's later mail in its
    /// thread.
    public var questions: Set<MessageID>
    /// When the user last wrote to each person in the thread, by ``EmailAddress/comparable``: an earlier bounce of that
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

extension Todo {
    /// The people that a task waits for, from its file: several are separated by commas.
    public var askedPeople: [EmailAddress] {
        let people = Self.people(waitingOn ?? "")
        let named = Self.people(contact ?? "")
        guard !people.isEmpty else { return named }
        return people.map { address in named.first { $0.comparable == address.comparable } ?? address }
    }

    private static func people(_ text: String) -> [EmailAddress] {
        text.split(separator: ",").prefix(50).compactMap { part in
            var part = part[...]
            var name = Substring()
            if let open = part.lastIndex(of: "<"), let close = part.lastIndex(of: ">"), open < close {
                name = part[..<open]
                part = part[part.index(after: open)..<close]
            }
            let text = part.filter { !$0.isWhitespace }
            let clean = name.filter { $0 != "\"" }.split(separator: " ").joined(separator: " ")
            return EmailAddress(text, displayName: clean)
        }
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

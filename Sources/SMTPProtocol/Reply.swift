/// A reply of the server: three digits and one or more lines of text. RFC 5321 §4.2.
public struct Reply: Equatable, Sendable {
    /// 200 to 599.
    public let code: Int
    /// The lines without their code. They are text from a stranger.
    public let lines: [String]

    public init(code: Int, lines: [String]) {
        self.code = code
        self.lines = lines
    }

    /// 2yz: success.
    public var isPositive: Bool { (200...299).contains(code) }
    /// 4yz: a temporary failure. The same command may work later.
    public var isTransient: Bool { (400...499).contains(code) }
    /// 5yz: a permanent failure. The same command will fail again.
    public var isPermanent: Bool { (500...599).contains(code) }
    /// 421: the server closes the connection, after any command. RFC 5321 §3.8.
    public var isClosing: Bool { code == 421 }

    /// All lines joined, for people.
    public var text: String { lines.joined(separator: " ") }

    /// `5.7.1` and the like, when the first line starts with one that fits the code. RFC 2034 §4.
    public var enhancedStatus: String? {
        guard let word = lines.first?.split(separator: " ", maxSplits: 1).first else { return nil }
        let numbers = word.split(separator: ".", omittingEmptySubsequences: false)
        guard numbers.count == 3, numbers[0] == "\(code / 100)" else { return nil }
        let isStatus = numbers.allSatisfy { number in
            (1...3).contains(number.utf8.count)
                && number.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        }
        return isStatus ? String(word) : nil
    }
}

/// The answer to one recipient.
public struct RecipientReply: Equatable, Sendable {
    public let address: String
    public let reply: Reply

    public init(address: String, reply: Reply) {
        self.address = address
        self.reply = reply
    }
}

/// What the server said when it took the message.
public struct Submission: Equatable, Sendable {
    /// The reply to the final dot; its text often holds the queue id.
    public let reply: Reply
    public let recipients: [RecipientReply]

    public init(reply: Reply, recipients: [RecipientReply]) {
        self.reply = reply
        self.recipients = recipients
    }
}

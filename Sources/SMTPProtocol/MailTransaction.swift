/// One message on its way: who, to whom, the bytes, the final dot, the reply.
///
/// A pure value. A server that offers CHUNKING gets the octets counted (`BDAT`), and `BDAT 0 LAST` is what the dot is
/// elsewhere: it is called so here too. Before the dot everything can be undone; the dot itself is sent once, after
/// ``endBody()``, and from then on a lost reply is ``SubmissionFailure/unknownAfterDot(reason:)``, never a
/// reason to send again. A message goes to all of its recipients or to none: when one is refused, the
/// transaction is reset and all refusals are reported.
///
/// See RFC 5321 §3.3 and §4.1.1.4, RFC 2920 (PIPELINING), RFC 3030 (CHUNKING), RFC 3461 (DSN).
public struct MailTransaction: Sendable {
    enum State: Equatable {
        /// Nothing was said. Valid transitions: `.envelope`.
        case idle
        /// `MAIL` and `RCPT` are out, this many were answered. Valid transitions: `.resetting`, `.dataSent`, `.done`.
        case envelope(answered: Int)
        /// `RSET` was sent because of the failure. Valid transitions: `.done`.
        case resetting(SubmissionFailure)
        /// `DATA` was sent. Valid transitions: `.body`, `.resetting`, `.done`.
        case dataSent
        /// `BDAT` and all octets were sent. Valid transitions: `.body`, `.resetting`, `.done`.
        case chunkSent
        /// The message is being written. Valid transitions: `.dotSent`, `.done`.
        case body
        /// The final dot may have left. Valid transitions: `.dotRefused`, `.done`.
        case dotSent
        /// A refusal came after the dot, and `QUIT` was sent. A server that refuses in the middle of the message, against
        /// the protocol, may still take it at the dot: then another reply comes before the one to `QUIT`. Valid
        /// transitions: `.dotRefused`, `.done`.
        case dotRefused(SubmissionFailure, late: Reply?)
        /// Final.
        case done
    }

    public enum Action: Equatable, Sendable {
        /// Send it and report the reply.
        case send(Command)
        /// Another reply to the same group is due.
        case receive
        /// Write the dot-stuffed message, see that it left, commit what has to be committed, then ``endBody()``.
        case sendBody
        /// Send the command and right after it the counted octets, and report the reply.
        case sendChunk(Command)
        /// The server has every octet: commit what has to be committed, then ``endBody()``.
        case commit
        /// Send `QUIT`, whatever was received before, and report each reply; the session takes no other message.
        case quit
        case finish(Submission)
        /// The session can take another message when it is reusable; else close it.
        case fail(SubmissionFailure, isReusable: Bool)
    }

    private let commands: [Command]
    private let recipients: [SMTPAddress]
    private let isPipelined: Bool
    /// The announcement of the octets; nil where the server wants `DATA`.
    private let chunk: Command?
    private(set) var state = State.idle
    private var mailRefusal: Reply?
    private var replies: [RecipientReply] = []

    /// Throws what can be known before anything is sent: size, 8-bit bytes and addresses that the server
    /// does not take.
    public init(
        _ envelope: SMTPEnvelope, _ traits: MessageTraits, server: EHLOResponse
    ) throws(SubmissionFailure) {
        if let maximum = server.maximumSize, traits.size > maximum {
            throw .messageTooLarge(actual: traits.size, maximum: maximum)
        }
        let needsUTF8 = envelope.needsUTF8 || traits.has8BitHeader
        if needsUTF8, !server.offers(.smtpUTF8) { throw .needsSMTPUTF8 }
        if traits.has8BitBytes, !server.offers(.eightBitMIME) { throw .needs8BitMIME }
        var mail = "MAIL FROM:<\(envelope.reversePath?.text ?? "")>"
        if server.offers(.size) { mail += " SIZE=\(traits.size)" }
        if traits.has8BitBytes { mail += " BODY=8BITMIME" }
        if needsUTF8 { mail += " SMTPUTF8" }
        if server.offers(.dsn), let id = envelope.envelopeID { mail += " RET=HDRS ENVID=\(id)" }
        recipients = envelope.forwardPaths
        isPipelined = server.offers(.pipelining)
        chunk = server.offers(.chunking) && traits.size > 0 ? .chunk(octets: traits.size) : nil
        commands =
            [Command(mail, logged: "MAIL")]
            + envelope.forwardPaths.map { Command("RCPT TO:<\($0.text)>", logged: "RCPT") }
    }

    /// Whether the final dot may have left, so that the reply is worth a long wait.
    public var isPastDot: Bool {
        switch state {
        case .dotSent, .dotRefused: true
        case .idle, .envelope, .resetting, .dataSent, .chunkSent, .body, .done: false
        }
    }

    /// The caller wants the message on its way.
    public mutating func start() -> Action {
        guard state == .idle, let mail = commands.first else {
            return end(.wrongState("a transaction starts once"), isReusable: false)
        }
        state = .envelope(answered: 0)
        // DATA stays out of the group: a server that took only some recipients would answer 354, and
        // there is no way back from there but an empty message to those.
        return .send(isPipelined ? .group(commands) : mail)
    }

    /// The server answered.
    public mutating func receive(_ reply: Reply) -> Action {
        switch state {
        case .envelope(let answered):
            return receiveEnvelope(reply, answered: answered)
        case .resetting(let failure):
            return end(failure, isReusable: reply.isPositive)
        case .dataSent:
            return receiveData(reply)
        case .chunkSent:
            return receiveChunk(reply)
        case .dotSent:
            return receiveDot(reply)
        case .dotRefused(let failure, let late):
            return receiveFarewell(reply, after: failure, late: late)
        case .idle, .body, .done:
            return end(.unexpectedReply(reply, to: "nothing"), isReusable: false)
        }
    }

    /// Every byte of the message is written, and the caller is ready for the point of no return.
    public mutating func endBody() -> Action {
        guard state == .body else { return end(.wrongState("the body ends once"), isReusable: false) }
        state = .dotSent
        return .send(chunk == nil ? .finalDot : .lastChunk)
    }

    /// The connection is gone, its replies cannot be read, or the wait ended.
    public mutating func lose(reason: String) -> Action {
        switch state {
        case .dotSent: end(.unknownAfterDot(reason: reason), isReusable: false)
        case .resetting(let failure), .dotRefused(let failure, late: nil): end(failure, isReusable: false)
        case .dotRefused(_, late: .some): end(.unknownAfterDot(reason: reason), isReusable: false)
        case .idle, .envelope, .dataSent, .chunkSent, .body, .done: end(.lost, isReusable: false)
        }
    }

    private mutating func end(_ failure: SubmissionFailure, isReusable: Bool) -> Action {
        state = .done
        return .fail(failure, isReusable: isReusable)
    }
}

// MARK: - Replies

extension MailTransaction {
    private mutating func receiveEnvelope(_ reply: Reply, answered: Int) -> Action {
        if reply.isClosing { return end(.transient(reply), isReusable: false) }
        if answered == 0 {
            mailRefusal = reply.isPositive ? nil : reply
        } else {
            replies.append(RecipientReply(address: recipients[answered - 1].text, reply: reply))
        }
        let next = answered + 1
        let isOver = next == commands.count || (mailRefusal != nil && !isPipelined)
        if isOver { return endEnvelope() }
        state = .envelope(answered: next)
        return isPipelined ? .receive : .send(commands[next])
    }

    private mutating func endEnvelope() -> Action {
        if let mailRefusal { return reset(.refusal(mailRefusal, to: "MAIL")) }
        let refused = replies.filter { !$0.reply.isPositive }
        guard refused.isEmpty else { return reset(.recipientsRefused(refused)) }
        if let chunk {
            state = .chunkSent
            return .sendChunk(chunk)
        }
        state = .dataSent
        return .send(Command("DATA", logged: "DATA"))
    }

    private mutating func receiveData(_ reply: Reply) -> Action {
        if reply.code == 354 {
            state = .body
            return .sendBody
        }
        let failure = SubmissionFailure.refusal(reply, to: "DATA")
        // A 2yz here leaves open what the server waits for: only closing is sure.
        let isUnderstood = (reply.isTransient || reply.isPermanent) && !reply.isClosing
        return isUnderstood ? reset(failure) : end(failure, isReusable: false)
    }

    private mutating func receiveChunk(_ reply: Reply) -> Action {
        guard !reply.isPositive else {
            state = .body
            return .commit
        }
        let failure = SubmissionFailure.refusal(reply, to: "BDAT")
        let isUnderstood = (reply.isTransient || reply.isPermanent) && !reply.isClosing
        return isUnderstood ? reset(failure) : end(failure, isReusable: false)
    }

    private mutating func receiveDot(_ reply: Reply) -> Action {
        if reply.isPositive {
            state = .done
            return .finish(Submission(reply: reply, recipients: replies))
        }
        guard reply.isTransient || reply.isPermanent else {
            return end(.unknownAfterDot(reason: "the server answered \(reply.code)"), isReusable: false)
        }
        let failure = SubmissionFailure.refusal(reply, to: "the message")
        guard !reply.isClosing else { return end(failure, isReusable: false) }
        state = .dotRefused(failure, late: nil)
        return .quit
    }

    /// A reply after the refusal: 221 is the one to `QUIT`; a positive one with another reply after it was the one to the dot.
    private mutating func receiveFarewell(
        _ reply: Reply, after failure: SubmissionFailure, late: Reply?
    ) -> Action {
        if let late {
            state = .done
            return .finish(Submission(reply: late, recipients: replies))
        }
        guard reply.isPositive, reply.code != 221 else { return end(failure, isReusable: false) }
        state = .dotRefused(failure, late: reply)
        return .receive
    }

    private mutating func reset(_ failure: SubmissionFailure) -> Action {
        state = .resetting(failure)
        return .send(Command("RSET", logged: "RSET"))
    }
}

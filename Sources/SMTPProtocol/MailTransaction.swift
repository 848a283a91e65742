/// The transfer of one message: envelope, content, final dot, reply. RFC 5321 §3.3 and §4.1.1.4, RFC 2920 (PIPELINING),
/// RFC 3030 (CHUNKING), RFC 3461 (DSN).
///
/// A pure value. A server with CHUNKING gets the content by `BDAT`, and `BDAT 0 LAST` counts as the dot. Before the
/// dot, everything can be cancelled. The dot is sent once, after ``endBody()``. If the reply to it is lost, the result
/// is ``SubmissionFailure/unknownAfterDot(reason:)``, and the message must not be sent again. A message goes to all
/// recipients or to none: if the server refuses one, the transaction is reset and all refusals are reported.
public struct MailTransaction: Sendable {
    enum State: Equatable {
        /// The client has sent nothing. Valid transitions: `.envelope`.
        case idle
        /// The client sent `MAIL` and `RCPT`; this many are answered. Valid transitions: `.resetting`, `.dataSent`,
        /// `.done`.
        case envelope(answered: Int)
        /// The client sent `RSET` because of the failure. Valid transitions: `.done`.
        case resetting(SubmissionFailure)
        /// The client sent `DATA`. Valid transitions: `.body`, `.resetting`, `.done`.
        case dataSent
        /// The client sent `BDAT` and the whole content. Valid transitions: `.body`, `.resetting`, `.done`.
        case chunkSent
        /// The client is sending the content. Valid transitions: `.dotSent`, `.done`.
        case body
        /// The final dot may have been sent. Valid transitions: `.dotRefused`, `.done`.
        case dotSent
        /// A refusal came after the dot, and the client sent `QUIT`. A server that refuses in the middle of the
        /// content, against the protocol, may still accept the message at the dot: then another reply comes before the
        /// one to `QUIT`. Valid transitions: `.dotRefused`, `.done`.
        case dotRefused(SubmissionFailure, late: Reply?)
        /// Final.
        case done
    }

    public enum Action: Equatable, Sendable {
        /// Send the command and report the reply.
        case send(Command)
        /// Wait for another reply to the same group.
        case receive
        /// Send the dot-stuffed content completely, commit what must be committed, then call ``endBody()``.
        case sendBody
        /// Send the command and directly after it the content, and report the reply.
        case sendChunk(Command)
        /// The server has the whole content: commit what must be committed, then call ``endBody()``.
        case commit
        /// Send `QUIT` and report each reply. The session cannot send another message.
        case quit
        case finish(Submission)
        /// If `isReusable`, the session can send another message; otherwise close it.
        case fail(SubmissionFailure, isReusable: Bool)
    }

    private let commands: [Command]
    private let recipients: [SMTPAddress]
    private let isPipelined: Bool
    /// The `BDAT` command; nil: the server has only `DATA`.
    private let chunk: Command?
    private(set) var state = State.idle
    private var mailRefusal: Reply?
    private var replies: [RecipientReply] = []

    /// Throws errors that are known before anything is sent: size, 8-bit bytes, or addresses that the server does not
    /// accept.
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

    /// Whether the final dot may have been sent, so that the reply needs a long wait.
    public var isPastDot: Bool {
        switch state {
        case .dotSent, .dotRefused: true
        case .idle, .envelope, .resetting, .dataSent, .chunkSent, .body, .done: false
        }
    }

    /// Starts the transfer.
    public mutating func start() -> Action {
        guard state == .idle, let mail = commands.first else {
            return end(.wrongState("a transaction starts once"), isReusable: false)
        }
        state = .envelope(answered: 0)
        // DATA is not in the group: if a server accepted only some recipients, it would answer 354, and the only way
        // out would be an empty message to these.
        return .send(isPipelined ? .group(commands) : mail)
    }

    /// A reply of the server.
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

    /// The whole content was sent, and the caller has committed its state. Sends the dot.
    public mutating func endBody() -> Action {
        guard state == .body else { return end(.wrongState("the body ends once"), isReusable: false) }
        state = .dotSent
        return .send(chunk == nil ? .finalDot : .lastChunk)
    }

    /// The connection was lost, its replies cannot be read, or the wait ended.
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
        // After a 2yz here, it is unclear what the server waits for, so the session is closed.
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

    /// A reply after the refusal: 221 answers `QUIT`. A positive reply with another one after it answers the dot.
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

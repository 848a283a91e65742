public import Logging
import Models
import NIOCore
import SASL
public import SMTPProtocol
import Transport

/// Sends mail: runs the state machines of `SMTPProtocol` over one connection.
///
/// It sends one message at a time. If the server refuses a message, the session stays open for the next one; any other
/// error closes it. It never repeats anything; the journal does that.
public actor SMTPConnection {
    private let connection: Connection
    private let configuration: SMTPConfiguration
    private let logger: Logger
    private var parser = ReplyParser()
    /// The server's offer; nil: before the login or after the end.
    private var server: EHLOResponse?
    private var isSubmitting = false

    private init(_ connection: Connection, _ configuration: SMTPConfiguration, _ logger: Logger) {
        self.connection = connection
        self.configuration = configuration
        self.logger = logger
    }

    /// Connects, starts TLS and logs in. After an error, the connection is closed.
    public static func connect(
        _ configuration: SMTPConfiguration, logger: Logger
    ) async throws(SMTPClientError) -> SMTPConnection {
        let session = try makeSession(configuration)
        let connection: Connection
        do {
            connection = try await Connection.open(
                configuration.endpoint, security: configuration.security, timeouts: configuration.timeouts,
                among: configuration.connections, logger: logger)
        } catch {
            throw .transport(error)
        }
        let client = SMTPConnection(connection, configuration, logger)
        do {
            try await client.logIn(session)
        } catch {
            await connection.close()
            throw error
        }
        return client
    }

    /// Whether the server accepts messages with 8-bit bytes. RFC 6152.
    public var accepts8BitBytes: Bool { server?.offers(.eightBitMIME) ?? false }

    /// Sends one message to all recipients, or to none.
    ///
    /// `beforeFinalDot` runs after the whole content was sent and before the dot. Until it returns, the message can be
    /// cancelled without a trace; it must record that the dot is about to be sent. If it throws, the connection is
    /// closed, and the server drops the message. An empty reverse path is the null path.
    ///
    /// `envelopeID`: returned in the server's reports about the message, if it makes any. RFC 3461 §4.4.
    public func submit(
        reversePath: String, forwardPaths: [String], message: [UInt8], envelopeID: String? = nil,
        beforeFinalDot: @Sendable () async throws -> Void
    ) async throws(SMTPClientError) -> Submission {
        // Every message passes here: after the login, the client sends nothing else.
        guard configuration.permissions.allows(.send) else {
            throw .notAllowed(allowed: configuration.permissions.name)
        }
        guard let server, !isSubmitting else { throw .notReady }
        isSubmitting = true
        defer { isSubmitting = false }
        var transaction = try Self.makeTransaction(
            reversePath: reversePath, forwardPaths: forwardPaths, envelopeID: envelopeID, message: message,
            server: server)
        var action = transaction.start()
        var hasQuit = false
        while true {
            switch action {
            case .send(let command):
                action = try await exchange(command, &transaction)
            case .receive:
                action = try await awaitReply(&transaction)
            case .sendBody:
                try await send(message, framing: .dotStuffed)
                try await commit(beforeFinalDot)
                action = transaction.endBody()
            case .sendChunk(let command):
                try await sendOrEnd(command)
                try await send(message, framing: .counted)
                action = try await awaitReply(&transaction)
            case .commit:
                try await commit(beforeFinalDot)
                action = transaction.endBody()
            case .quit:
                // If the connection is lost, the wait for the reply reports it.
                hasQuit = true
                try? await connection.send(ByteBuffer(string: "QUIT\r\n"))
                action = try await awaitReply(&transaction)
            case .finish(let submission):
                if hasQuit { await end() }
                return submission
            case .fail(let failure, let isReusable):
                if !isReusable { await end() }
                throw .submission(failure)
            }
        }
    }

    /// Sends QUIT, waits for the reply for at most five seconds, and closes.
    public func quit() async {
        if server != nil, !isSubmitting {
            try? await connection.send(ByteBuffer(string: "QUIT\r\n"))
            _ = try? await connection.receive(timeout: .seconds(5))
        }
        await end()
    }

    private func end() async {
        server = nil
        await connection.close()
    }
}

// MARK: - State machines

extension SMTPConnection {
    private static func makeSession(
        _ configuration: SMTPConfiguration
    ) throws(SMTPClientError) -> SubmissionSession {
        do {
            try configuration.credentials?.check()
        } catch {
            throw .submission(.invalidLogin(reason: error.description))
        }
        let host = SASLServer(host: configuration.endpoint.host, port: configuration.endpoint.port)
        do {
            return try SubmissionSession(
                heloName: configuration.heloName, credentials: configuration.credentials,
                protection: configuration.protection, host: host, nonce: SASLNonce.make())
        } catch {
            throw .submission(error)
        }
    }

    private static func makeTransaction(
        reversePath: String, forwardPaths: [String], envelopeID: String?, message: [UInt8],
        server: EHLOResponse
    ) throws(SMTPClientError) -> MailTransaction {
        do {
            let envelope = try SMTPEnvelope(
                reversePath: reversePath, forwardPaths: forwardPaths, envelopeID: envelopeID)
            return try MailTransaction(envelope, MessageTraits(message), server: server)
        } catch {
            throw .submission(error)
        }
    }

    private func logIn(_ start: SubmissionSession) async throws(SMTPClientError) {
        var session = start
        let patience = min(configuration.timeouts.receive, SMTPConfiguration.loginPatience)
        var action = session.receive(try await greeting(within: patience))
        while true {
            switch action {
            case .send(let command):
                try await send(command)
                action = session.receive(try await reply(within: patience))
            case .startTLS:
                try await startTLS()
                action = session.receiveTLS()
            case .ready(let response):
                server = response
                return
            case .fail(let failure):
                throw .submission(failure)
            }
        }
    }

    private func startTLS() async throws(SMTPClientError) {
        guard parser.isEmpty else {
            throw .transport(TransportError(.plaintextAfterStartTLS, endpoint: configuration.endpoint))
        }
        guard case .startTLS(let policy) = configuration.security else {
            throw .protocolViolation("STARTTLS was not requested")
        }
        do {
            try await connection.startTLS(policy)
        } catch {
            throw .transport(error)
        }
    }

    private func exchange(
        _ command: Command, _ transaction: inout MailTransaction
    ) async throws(SMTPClientError) -> MailTransaction.Action {
        guard !transaction.isPastDot else { return try await awaitReply(&transaction, to: command) }
        do {
            try await send(command)
        } catch {
            throw await lost(&transaction, error)
        }
        return try await awaitReply(&transaction)
    }

    /// `dot`: sent first.
    private func awaitReply(
        _ transaction: inout MailTransaction, to dot: Command? = nil
    ) async throws(SMTPClientError) -> MailTransaction.Action {
        let answer: Reply
        do {
            answer =
                transaction.isPastDot
                ? try await replyToDot(dot) : try await reply(within: configuration.timeouts.receive)
        } catch {
            throw await lost(&transaction, error)
        }
        return transaction.receive(answer)
    }

    /// How long a cancelled task still waits for the reply to the dot.
    private static let patience = Duration.seconds(10)

    /// Without the reply to the dot it is unknown whether the mail was sent. So a cancellation, such as Ctrl-C, waits for it,
    /// from the moment in which the dot is written. `dot`: sent first; nil: it was sent.
    private func replyToDot(_ dot: Command?) async throws(SMTPClientError) -> Reply {
        let timeout = configuration.dotTimeout
        let waiting = Task { () -> Result<Reply, SMTPClientError> in
            do throws(SMTPClientError) {
                if let dot { try await send(dot) }
                return .success(try await reply(within: timeout))
            } catch {
                return .failure(error)
            }
        }
        let result = await withTaskCancellationHandler {
            await waiting.value
        } onCancel: {
            Task {
                try? await Task.sleep(for: Self.patience)
                waiting.cancel()
            }
        }
        return try result.get()
    }

    /// Closes the connection and returns what is known about the message. The state machine decides, not the error.
    private func lost(_ transaction: inout MailTransaction, _ error: SMTPClientError) async -> SMTPClientError
    {
        let action = transaction.lose(reason: error.cause)
        await end()
        guard case .fail(let failure, _) = action, failure != .lost else { return error }
        return .submission(failure)
    }

    private func sendOrEnd(_ command: Command) async throws(SMTPClientError) {
        do {
            try await send(command)
        } catch {
            await end()
            throw error
        }
    }

    private func send(_ message: [UInt8], framing: BodyFraming) async throws(SMTPClientError) {
        logger.trace("C: (\(message.count) bytes of mail)")
        var encoder = BodyEncoder(message, framing: framing)
        do {
            while let piece = encoder.next() { try await connection.send(piece) }
        } catch {
            await end()
            throw .transport(error)
        }
    }

    /// Runs the callback before the final dot.
    ///
    /// Afterwards, a change of the network does not end the connection: the reply to the dot may still come, and an
    /// unknown result is worse than a wait.
    private func commit(_ beforeFinalDot: @Sendable () async throws -> Void) async throws(SMTPClientError) {
        connection.keepToTheEnd()
        do {
            try await checkSilence()
        } catch {
            await end()
            throw error
        }
        do {
            try await beforeFinalDot()
        } catch {
            await end()
            throw .stoppedBeforeDot(reason: "\(error)")
        }
    }
}

// MARK: - Bytes

extension SMTPConnection {
    /// The server must send nothing before the final dot. Otherwise its text would count as the reply to the dot; a
    /// refusal in the middle of the content is a refusal before the dot.
    private func checkSilence() async throws(SMTPClientError) {
        if parser.isEmpty {
            guard let bytes = try await bytesThatCameAlready() else { return }
            parser.append(bytes)
        }
        guard let reply = try nextReply(), parser.isEmpty else {
            throw .protocolViolation("a reply without a command")
        }
        if reply.isTransient { throw .submission(.transient(reply)) }
        if reply.isPermanent { throw .submission(.permanent(reply)) }
        throw .protocolViolation("reply \(reply.code) in the middle of the message")
    }

    private func bytesThatCameAlready() async throws(SMTPClientError) -> ByteBuffer? {
        let bytes: ByteBuffer?
        do {
            bytes = try await connection.receive(timeout: .zero)
        } catch {
            if error.code == .timedOut(.receive) { return nil }
            throw .transport(error)
        }
        guard let bytes else { throw .transport(closedByPeer) }
        return bytes
    }

    private var closedByPeer: TransportError {
        TransportError(.closedByPeer, endpoint: configuration.endpoint)
    }
}

extension SMTPConnection {
    private func send(_ command: Command) async throws(SMTPClientError) {
        // A reply without a command would count as the reply to the next command.
        guard parser.isEmpty else { throw .protocolViolation("a reply without a command") }
        logger.trace("command", metadata: ["verbs": "\(command.logged)"])
        for line in command.traced { logger.trace("C: \(line)") }
        do {
            try await connection.send(command.bytes)
        } catch {
            throw .transport(error)
        }
    }

    private func greeting(within timeout: Duration) async throws(SMTPClientError) -> Reply {
        let end = ContinuousClock.now + timeout
        let bytes: ByteBuffer?
        do {
            bytes = try await connection.receiveGreeting(timeout: timeout)
        } catch {
            throw .transport(error)
        }
        guard let bytes else { throw .transport(closedByPeer) }
        parser.append(bytes)
        return try await reply(within: max(.zero, end - .now))
    }

    /// One complete reply within the timeout, which single bytes do not extend.
    private func reply(within timeout: Duration) async throws(SMTPClientError) -> Reply {
        let deadline = ContinuousClock.now + timeout
        while true {
            if let reply = try nextReply() {
                logger.trace("reply", metadata: ["code": "\(reply.code)"])
                for line in traced(reply) { logger.trace("S: \(line)") }
                return reply
            }
            let bytes: ByteBuffer?
            do {
                bytes = try await connection.receive(timeout: max(.zero, deadline - .now))
            } catch {
                throw .transport(error)
            }
            guard let bytes else { throw .transport(closedByPeer) }
            parser.append(bytes)
        }
    }

    /// The lines for a trace, without the server's part of a login and without secrets that it repeats.
    private func traced(_ reply: Reply) -> [String] {
        guard logger.logLevel <= .trace else { return [] }
        let secret = configuration.credentials?.secret
        return reply.traced.map { secret?.hidden(in: $0) ?? $0 }
    }

    private func nextReply() throws(SMTPClientError) -> Reply? {
        do {
            return try parser.next()
        } catch {
            throw .protocolViolation(error.description)
        }
    }
}

import IMAPProtocol
import Logging
import Models
import NIOCore
import Transport

/// Turns commands into octets and octets into responses.
extension IMAPConnection {
    /// Every command passes through here; those that the account does not allow fail.
    func encode(_ command: Command) throws(IMAPClientError) -> EncodedCommand {
        if let missing = command.missing(in: permissions) {
            throw .notAllowed(command: command.name, missing, allowed: permissions.name)
        }
        do {
            return try command.encode(
                tag: turns.nextTag(), literals: LiteralSupport(capabilities), isUTF8: speaksUTF8)
        } catch {
            throw .invalidRequest(error)
        }
    }

    func send(_ bytes: ByteBuffer) async throws(IMAPClientError) {
        for line in trace?.sent(bytes) ?? [] { logger.trace("C: \(line)") }
        do {
            try await connection.send(bytes)
        } catch {
            throw await fail(.transport(error))
        }
    }

    /// The next response. First, the connection updates its own state with it.
    func nextResponse() async throws(IMAPClientError) -> Response {
        while true {
            if let response = try await decoded() { return response }
            try await receive()
        }
    }

    /// Reads more bytes, while the running command has time left.
    private func receive() async throws(IMAPClientError) {
        let limit = patience ?? connection.timeouts.receive
        let start = ContinuousClock.now
        let chunk: ByteBuffer?
        do throws(TransportError) {
            let left = min(limit, answerTime.left(of: limit, bodyOctets: decoder.bodyOctets))
            guard left > .zero else {
                throw TransportError(.timedOut(.receive), endpoint: connection.endpoint)
            }
            // Everything before the client's first command is the greeting.
            chunk =
                machine.state == .greeting && decoder.isEmpty
                ? try await connection.receiveGreeting(timeout: left)
                : try await connection.receive(timeout: left)
        } catch {
            throw await fail(.transport(error))
        }
        guard let chunk else {
            throw await fail(.transport(TransportError(.closedByPeer, endpoint: connection.endpoint)))
        }
        answerTime.wait(.now - start, octets: chunk.readableBytes)
        decoder.feed(chunk)
    }

    /// A response that is already complete; nil: the socket must be read.
    func decoded() async throws(IMAPClientError) -> Response? {
        let next: Response?
        do {
            next = try decoder.next()
        } catch {
            throw await fail(.limit(error))
        }
        guard let response = next else { return nil }
        if let frame = decoder.lastFrame, let line = trace?.received(frame) { logger.trace("S: \(line)") }
        if case .tagged = response { restartAnswerTime() }
        try await absorb(response)
        return speaksUTF8 ? response.withModifiedUTF7 : response
    }

    /// A command has ended, or the server has sent `+`.
    func restartAnswerTime() { answerTime = AnswerTime(bodyOctets: decoder.bodyOctets) }

    /// The following octets are those of a new session.
    func restartDecoder() {
        decoder = ResponseDecoder()
        decoder.keepsFrames = trace != nil
        restartAnswerTime()
    }
}

// MARK: - Session state

extension IMAPConnection {
    private func absorb(_ response: Response) async throws(IMAPClientError) {
        switch response {
        case .tagged(_, let status): noteAlert(status)
        case .continuation: break
        case .untagged(let untagged): try await absorb(untagged)
        }
    }

    private func absorb(_ response: Untagged) async throws(IMAPClientError) {
        switch response {
        case .capability(let offered):
            machine.receiveCapabilities(offered)
            knownProfile = nil
        case .id(let fields):
            guard isTrusted else { return }
            identity = fields
            knownProfile = nil
        case .enabled(let capabilities):
            enabled.formUnion(capabilities)
        case .status(let status):
            try await absorb(status)
        case .unparsable(let unparsable):
            note(unparsable)
        case .mailboxStatus(var status):
            if speaksUTF8 { status.name = ModifiedUTF7.name(ofUTF8: status.name) }
            news.note(status)
        case .list(let listed):
            news.note(
                name: speaksUTF8 ? ModifiedUTF7.name(ofUTF8: listed.name) : listed.name,
                isGone: listed.isNonExistent)
        case .search, .esearch, .flags, .exists, .recent, .expunge, .vanished, .fetch,
            .namespace, .myRights, .quota, .quotaRoot, .blank, .other:
            break
        }
    }

    private func absorb(_ status: StatusResponse) async throws(IMAPClientError) {
        if machine.state == .greeting {
            if isTrusted { greeting = status.text }
        } else if status.status == .bye {
            do {
                try machine.receiveBye(status.text)
            } catch {
                throw await fail(IMAPClientError(error))
            }
        } else {
            if status.endsNotify { news.end() }
            noteAlert(status)
        }
    }

    private func note(_ unparsable: Unparsable) {
        if Self.tellsOfMessages(unparsable.keyword) { lostAnswers += 1 }
        logger.log(
            level: decoder.unparsableCount <= 10 ? .warning : .trace,
            "skipped a response that does not parse",
            metadata: ["reason": "\(unparsable.reason)", "offset": "\(unparsable.offset)"])
    }

    /// Whether a lost response may have been about messages; true if its kind is unknown.
    private static func tellsOfMessages(_ keyword: String) -> Bool {
        ["", "FETCH", "VANISHED", "SEARCH", "ESEARCH", "EXISTS", "EXPUNGE"].contains(keyword)
    }

    /// Anyone can send data before a required TLS handshake.
    private var isTrusted: Bool { machine.protection != .startTLS || connection.isEncrypted }

    private func noteAlert(_ status: StatusResponse) {
        guard status.code == .alert, isTrusted else { return }
        alerts = alerts.suffix(9) + [status.text]
    }
}

extension Response {
    /// The response of a UTF-8 session with mailbox names in modified UTF-7, as in other sessions.
    fileprivate var withModifiedUTF7: Response {
        switch self {
        case .untagged(.list(var list)):
            list.name = ModifiedUTF7.name(ofUTF8: list.name)
            list.oldName = list.oldName.map(ModifiedUTF7.name)
            return .untagged(.list(list))
        case .untagged(.mailboxStatus(var status)):
            status.name = ModifiedUTF7.name(ofUTF8: status.name)
            return .untagged(.mailboxStatus(status))
        case .untagged, .tagged, .continuation:
            return self
        }
    }
}

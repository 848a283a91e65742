import IMAPProtocol
import Logging
import NIOCore
import Transport

/// What a command brought: its end, and everything untagged that came before.
struct Outcome {
    var status: StatusResponse
    var untagged: [Response]

    /// Every response code, wherever it came: in the tagged response, or in an untagged one before it.
    var codes: [ResponseCode] {
        untagged.compactMap { response in
            guard case .status(let status) = response else { return nil }
            return status.code
        } + [status.code].compactMap { $0 }
    }
}

extension IMAPClient {
    /// The most that one command other than FETCH may bring.
    private static let outcomeBytes = 32 * 1_024 * 1_024
    private static let outcomeResponses = 200_000
    private static let reportBytes = 256 * 1_024 * 1_024

    /// Runs one command in its turn; NO and BAD become ``IMAPClientError/refused(command:status:code:text:)``.
    func run(_ command: Command) async throws(IMAPClientError) -> Outcome {
        try await takeTurn()
        defer { endTurn() }
        return try await perform(command)
    }

    /// As ``run(_:)``, for callers who have the turn already.
    func perform(_ command: Command) async throws(IMAPClientError) -> Outcome {
        let outcome = try await exchange(command)
        guard outcome.status.isOK else { throw Self.refusal(of: command.name, outcome.status) }
        return outcome
    }

    static func refusal(of command: String, _ status: StatusResponse) -> IMAPClientError {
        .refused(command: command, status: status.status, code: status.code, text: status.text)
    }

    /// Sends a command and reads until its end, whatever that is.
    func exchange(_ command: Command) async throws(IMAPClientError) -> Outcome {
        let encoded = try encode(command)
        decoder.bodyLimit = 0
        let start = decoder.parsedBytes
        var untagged: [Response] = []
        logger.trace("command", metadata: ["tag": "\(encoded.tag)", "name": "\(encoded.name)"])
        for piece in encoded.pieces {
            switch piece {
            case .send(let bytes):
                try await send(bytes)
            case .waitForContinuation:
                if let status = try await read(encoded.tag, from: start, waiting: true, into: &untagged) {
                    // The server refused before the rest was sent.
                    return Outcome(status: status, untagged: untagged)
                }
            }
        }
        guard let status = try await read(encoded.tag, from: start, waiting: false, into: &untagged) else {
            throw await fail(.protocol("a continuation request that no command asked for"))
        }
        return Outcome(status: status, untagged: untagged)
    }

    /// Reads up to the end of the command, or up to `+` when that is waited for (nil).
    private func read(
        _ tag: CommandTag, from start: Int, waiting: Bool, into untagged: inout [Response]
    ) async throws(IMAPClientError) -> StatusResponse? {
        while true {
            let response = try await nextResponse()
            switch response {
            case .tagged(tag, let status):
                logger.trace("ended", metadata: ["tag": "\(tag)", "status": "\(status.status.rawValue)"])
                return status
            case .tagged(let other, _):
                throw await fail(.protocol("the end of command \(other), which is not running"))
            case .continuation:
                // After a literal that needed no leave some servers grant it all the same.
                guard waiting else { break }
                restartAnswerTime()
                return nil
            case .status, .capability, .enabled, .list, .mailboxStatus, .search, .esearch, .flags, .exists,
                .recent, .expunge, .vanished, .fetch, .id, .namespace, .other, .unparsable:
                if !report(response) { untagged.append(response) }
                if case .status(let status) = response, status.code == .closed { untagged = [] }
            }
            try await checkSize(untagged.count, decoder.parsedBytes - start)
        }
    }

    func checkSize(_ count: Int, _ bytes: Int) async throws(IMAPClientError) {
        // What SELECT (QRESYNC) reports is bounded by what a mailbox may hold.
        let limit = reported == nil ? Self.outcomeBytes : Self.reportBytes
        let changes = (reported?.flags.count ?? 0) + (reported?.vanished.count ?? 0)
        guard count <= Self.outcomeResponses, bytes <= limit, changes <= ResponseLimits.standard.numbers
        else {
            throw await fail(.protocol("\(count + changes) responses of \(bytes) bytes to one command"))
        }
    }

    /// Takes over what a SELECT (QRESYNC) brings. What came before `[CLOSED]` is of the mailbox that was open
    /// before. RFC 7162 §3.2.11.
    private func report(_ response: Response) -> Bool {
        guard reported != nil else { return false }
        switch response {
        case .fetch(let fetch):
            reported?.take(fetch)
            return true
        case .vanished(let uids, _):
            reported?.vanished += uids.ranges
            return true
        case .status(let status):
            if status.code == .closed { reported = MailboxChanges() }
            return false
        case .tagged, .continuation, .capability, .enabled, .list, .mailboxStatus, .search, .esearch, .flags,
            .exists, .recent, .expunge, .id, .namespace, .other, .unparsable:
            return false
        }
    }
}

// MARK: - Bytes

extension IMAPClient {
    func encode(_ command: Command) throws(IMAPClientError) -> EncodedCommand {
        do {
            return try command.encode(
                tag: nextTag(), literals: LiteralSupport(capabilities), isUTF8: speaksUTF8)
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

    /// The next response, after what concerns the session was taken from it.
    func nextResponse() async throws(IMAPClientError) -> Response {
        while true {
            if let response = try await decoded() { return response }
            try await receive()
        }
    }

    /// More bytes, while the running command has time left.
    private func receive() async throws(IMAPClientError) {
        let limit = patience ?? connection.timeouts.receive
        let start = ContinuousClock.now
        let chunk: ByteBuffer?
        do throws(TransportError) {
            let left = min(limit, answerTime.left(of: limit, bodyOctets: decoder.bodyOctets))
            guard left > .zero else {
                throw TransportError(.timedOut(.receive), endpoint: connection.endpoint)
            }
            // The greeting is what comes before anything was sent.
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

    /// A response that is already here; nil when the socket must be read.
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

    /// A command has ended, or was given leave to go on.
    func restartAnswerTime() { answerTime = AnswerTime(bodyOctets: decoder.bodyOctets) }

    private func absorb(_ response: Response) async throws(IMAPClientError) {
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
        case .status(let status) where machine.state == .greeting:
            if isTrusted { greeting = status.text }
        case .status(let status) where status.status == .bye:
            do {
                try machine.receiveBye(status.text)
            } catch {
                throw await fail(IMAPClientError(error))
            }
        case .status(let status), .tagged(_, let status):
            if status.code == .alert { noteAlert(status.text) }
        case .unparsable(let unparsable):
            note(unparsable)
        case .continuation, .list, .mailboxStatus, .search, .esearch, .flags, .exists, .recent, .expunge,
            .vanished, .fetch, .namespace, .other:
            break
        }
    }

    private func note(_ unparsable: Unparsable) {
        if Self.tellsOfMessages(unparsable.keyword) { lostAnswers += 1 }
        logger.log(
            level: decoder.unparsableCount <= 10 ? .warning : .trace,
            "skipped a response that does not parse",
            metadata: ["reason": "\(unparsable.reason)", "offset": "\(unparsable.offset)"])
    }

    /// Whether a lost response may have named messages; one whose kind is not even known may.
    private static func tellsOfMessages(_ keyword: String) -> Bool {
        ["", "FETCH", "VANISHED", "SEARCH", "ESEARCH", "EXISTS", "EXPUNGE"].contains(keyword)
    }

    /// What is said before a required TLS is nobody's word.
    private var isTrusted: Bool { machine.protection != .startTLS || connection.isEncrypted }

    private func noteAlert(_ text: String) {
        guard isTrusted else { return }
        alerts = alerts.suffix(9) + [text]
    }
}

extension Response {
    /// With names of mailboxes as every session knows them, from one that speaks UTF-8.
    fileprivate var withModifiedUTF7: Response {
        switch self {
        case .list(var list):
            list.name = ModifiedUTF7.name(ofUTF8: list.name)
            list.oldName = list.oldName.map(ModifiedUTF7.name)
            return .list(list)
        case .mailboxStatus(var status):
            status.name = ModifiedUTF7.name(ofUTF8: status.name)
            return .mailboxStatus(status)
        default:
            return self
        }
    }
}

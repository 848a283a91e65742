import IMAPProtocol
import Logging
import NIOCore

/// Sends commands and reads their answers. Only the caller that has the turn may call these functions.
extension IMAPConnection {
    /// Sends a command and reads until its end. NO and BAD become
    /// ``IMAPClientError/refused(command:status:code:text:)``.
    func perform(_ command: Command) async throws(IMAPClientError) -> Outcome {
        let outcome = try await exchange(command)
        guard outcome.status.isOK else { throw .refusal(of: command.name, outcome.status) }
        return outcome
    }

    /// Sends a command and reads until its end, with any status.
    func exchange(
        _ command: Command, reportsChanges: Bool = false
    ) async throws(IMAPClientError) -> Outcome {
        let encoded = try encode(command)
        news.isListing = command.isList
        defer { news.isListing = false }
        decoder.bodyLimit = 0
        var answers = Answers(from: decoder.parsedBytes, reportsChanges: reportsChanges)
        logger.trace("command", metadata: ["tag": "\(encoded.tag)", "name": "\(encoded.name)"])
        for piece in encoded.pieces {
            switch piece {
            case .send(let bytes):
                try await send(bytes)
            case .waitForContinuation:
                if case .ended(_, let status) = try await read(until: [encoded.tag], into: &answers) {
                    // The server refused the command before the rest was sent.
                    return Outcome(status: status, answers)
                }
                restartAnswerTime()
            }
        }
        return Outcome(status: try await readEnd(of: [encoded.tag], into: &answers).status, answers)
    }

    /// Sends commands that change nothing, as many at once as the server accepts, and reads until all have ended.
    ///
    /// The statuses are in the order of the commands. A command that must wait for the server's `+` is sent alone.
    func exchange(
        _ commands: [Command]
    ) async throws(IMAPClientError) -> (statuses: [StatusResponse], untagged: [Untagged]) {
        var statuses: [StatusResponse] = []
        var untagged: [Untagged] = []
        var rest = commands[...]
        while let command = rest.first {
            let batch = try nextBatch(rest)
            guard !batch.isEmpty else {
                let outcome = try await exchange(command)
                statuses.append(outcome.status)
                untagged += outcome.untagged
                rest = rest.dropFirst()
                continue
            }
            news.isListing = rest.prefix(batch.count).contains(where: \.isList)
            defer { news.isListing = false }
            statuses += try await exchange(batch, into: &untagged)
            rest = rest.dropFirst(batch.count)
        }
        return (statuses, untagged)
    }

    /// Commands that can be sent together; empty: the first one must be sent alone.
    private func nextBatch(_ commands: ArraySlice<Command>) throws(IMAPClientError) -> [EncodedCommand] {
        var batch: [EncodedCommand] = []
        for command in commands.prefix(max(1, profile.pipelineDepth)) {
            let encoded = try encode(command)
            guard encoded.bytesAtOnce != nil else { break }
            batch.append(encoded)
        }
        return batch
    }

    private func exchange(
        _ batch: [EncodedCommand], into untagged: inout [Untagged]
    ) async throws(IMAPClientError) -> [StatusResponse] {
        decoder.bodyLimit = 0
        var answers = Answers(from: decoder.parsedBytes)
        var bytes = ByteBuffer()
        for var piece in batch.compactMap(\.bytesAtOnce) { bytes.writeBuffer(&piece) }
        try await send(bytes)
        var ends: [CommandTag: StatusResponse] = [:]
        while ends.count < batch.count {
            let running = Set(batch.map(\.tag)).subtracting(ends.keys)
            let (tag, status) = try await readEnd(of: running, into: &answers)
            ends[tag] = status
        }
        untagged += answers.untagged
        return batch.compactMap { ends[$0.tag] }
    }

    /// Reads up to the end of one of the commands, or up to `+`; earlier responses go into `answers`.
    func read(
        until tags: Set<CommandTag>, into answers: inout Answers
    ) async throws(IMAPClientError) -> Milestone {
        while true {
            switch try await nextResponse() {
            case .tagged(let tag, let status):
                guard tags.contains(tag) else { throw await failed(atEndOf: tag) }
                logger.trace("ended", metadata: ["tag": "\(tag)", "status": "\(status.status.rawValue)"])
                return .ended(tag, status)
            case .continuation(let text):
                return .continuation(text)
            case .untagged(let response):
                answers.add(response)
            }
            if let excess = answers.excess(at: decoder.parsedBytes) {
                throw await fail(.protocol(excess))
            }
        }
    }

    /// Like ``read(until:into:)``. Some servers send `+` after a literal that need not wait for it.
    func readEnd(
        of tags: Set<CommandTag>, into answers: inout Answers
    ) async throws(IMAPClientError) -> (tag: CommandTag, status: StatusResponse) {
        while true {
            if case .ended(let tag, let status) = try await read(until: tags, into: &answers) {
                return (tag, status)
            }
        }
    }

    /// Ends the client, because the server ended a command that is not running.
    func failed(atEndOf tag: CommandTag) async -> IMAPClientError {
        await fail(.protocol("the end of command \(tag), which is not running"))
    }
}

extension EncodedCommand {
    /// The whole command; nil: the client must wait for the server in between.
    var bytesAtOnce: ByteBuffer? {
        var bytes = ByteBuffer()
        for piece in pieces {
            switch piece {
            case .send(var some): bytes.writeBuffer(&some)
            case .waitForContinuation: return nil
            }
        }
        return bytes
    }
}

extension Command {
    fileprivate var isList: Bool {
        if case .list = self { return true }
        return false
    }
}

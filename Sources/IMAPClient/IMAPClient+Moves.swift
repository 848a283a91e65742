public import IMAPProtocol
import NIOCore

/// Moves to several mailboxes, the next on the wire before the last one has ended. RFC 6851.
extension IMAPClient {
    /// Moves messages of the open mailbox, and tells what became of each move as soon as that is known.
    ///
    /// A refusal concerns its own move. When the connection is lost, each move of which anything was sent ends with that
    /// error; a move that is never told of was not sent.
    ///
    /// - Parameters:
    ///   - moves: messages, and the mailbox that they go to; no message in two of them.
    ///   - told: called in the order in which they end.
    /// - Throws: ``IMAPClientError`` when nothing could be sent at all.
    public func move(
        _ moves: [(uids: UIDSet, to: [UInt8])], told: @Sendable (MoveEnd) -> Void
    ) async throws(IMAPClientError) {
        try requireCapability(.move)
        try await startMessages()
        defer { endTurn() }
        decoder.bodyLimit = 0
        var pipeline = MovePipeline(moves.map { pieces($0.uids) }, depth: profile.pipelineDepth)
        do {
            let start = decoder.parsedBytes
            var responses = 0
            while !pipeline.isFinished {
                if let end = try await sendMoves(moves.map(\.to), &pipeline) {
                    told(end)
                    continue
                }
                if let end = try await receiveMove(try await nextResponse(), &pipeline) { told(end) }
                responses += 1
                try await checkSize(responses, decoder.parsedBytes - start)
            }
        } catch {
            for end in pipeline.abandon(error) { told(end) }
        }
    }

    /// Sends what there is room for, in one go: a server that hangs up in the middle has the rest by then, and what it
    /// answered before is still read. The end of a move that could not be sent, or that had to be sent alone.
    private func sendMoves(
        _ names: [[UInt8]], _ pipeline: inout MovePipeline
    ) async throws(IMAPClientError) -> MoveEnd? {
        var bytes = ByteBuffer()
        while let piece = pipeline.next {
            let command = Command.uidMove(piece.uids, to: names[piece.move])
            let encoded: EncodedCommand
            do {
                encoded = try encode(command)
            } catch {
                guard bytes.readableBytes == 0 else { break }
                if let end = pipeline.refuse(error) { return end }
                continue
            }
            guard var some = encoded.bytesAtOnce else {
                // A name that waits for the server's leave.
                guard pipeline.isIdle else { break }
                pipeline.start(encoded.tag)
                let outcome = try await exchange(command)
                for response in outcome.untagged { _ = try await receiveMove(response, &pipeline) }
                return pipeline.receiveTagged(encoded.tag, outcome.status).end
            }
            pipeline.start(encoded.tag)
            bytes.writeBuffer(&some)
        }
        if bytes.readableBytes > 0 { try await send(bytes) }
        return nil
    }

    private func receiveMove(
        _ response: Response, _ pipeline: inout MovePipeline
    ) async throws(IMAPClientError) -> MoveEnd? {
        switch response {
        case .status(let status):
            if case .copyUID(let proof) = status.code { pipeline.receive(proof) }
            return nil
        case .tagged(let tag, let status):
            let (isOurs, end) = pipeline.receiveTagged(tag, status)
            guard isOurs else {
                throw await fail(.protocol("the end of command \(tag), which is not running"))
            }
            return end
        case .continuation, .capability, .enabled, .list, .mailboxStatus, .search, .esearch, .flags, .exists,
            .recent, .expunge, .vanished, .fetch, .id, .namespace, .other, .unparsable:
            return nil
        }
    }
}

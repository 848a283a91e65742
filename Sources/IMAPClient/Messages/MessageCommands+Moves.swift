public import IMAPProtocol
import NIOCore

/// Moves to several mailboxes, the next on the wire before the last one has ended. RFC 6851.
extension MessageCommands {
    /// Moves messages of the open mailbox, and tells what became of each move as soon as that is known.
    ///
    /// A refusal concerns its own move. When the connection is lost, each move of which anything was sent ends with that
    /// error; a move that is never reported was not sent.
    ///
    /// - Parameters:
    ///   - moves: messages, and the mailbox that they go to; no message in two of them.
    ///   - report: called in the order in which they end.
    /// - Throws: ``IMAPClientError`` when nothing could be sent at all.
    public func move(
        _ moves: [(uids: UIDSet, to: [UInt8])], report: @Sendable (MoveEnd) -> Void
    ) async throws(IMAPClientError) {
        try await client.require(.move)
        try await client.turn(.selected) { client async throws(IMAPClientError) in
            client.decoder.bodyLimit = 0
            var pipeline = MovePipeline(
                moves.map { client.pieces($0.uids) }, depth: client.profile.pipelineDepth)
            var answers = Answers(from: client.decoder.parsedBytes)
            do throws(IMAPClientError) {
                while !pipeline.isFinished {
                    let end =
                        if let unsent = try await send(moves.map(\.to), &pipeline, on: client) {
                            unsent
                        } else {
                            try await receive(&answers, &pipeline, on: client)
                        }
                    if let end { report(end) }
                }
            } catch {
                for response in answers.takeUntagged() { pipeline.receive(response) }
                for end in pipeline.abandon(error) { report(end) }
            }
        }
    }

    /// Sends what there is room for, in one go: a server that hangs up in the middle has the rest by then, and what it
    /// answered before is still read. The end of a move that could not be sent, or that had to be sent alone.
    private func send(
        _ names: [[UInt8]], _ pipeline: inout MovePipeline, on client: isolated IMAPConnection
    ) async throws(IMAPClientError) -> MoveEnd? {
        var bytes = ByteBuffer()
        while let piece = pipeline.next {
            let command = Command.uidMove(piece.uids, to: names[piece.move])
            let encoded: EncodedCommand
            do {
                encoded = try client.encode(command)
            } catch {
                guard bytes.readableBytes == 0 else { break }
                if let end = pipeline.refuse(error) { return end }
                continue
            }
            guard var some = encoded.bytesAtOnce else {
                // A name that waits for the server's `+`.
                guard pipeline.isIdle else { break }
                pipeline.start(encoded.tag)
                let outcome = try await client.exchange(command)
                for response in outcome.untagged { pipeline.receive(response) }
                return pipeline.receiveTagged(encoded.tag, outcome.status)
            }
            pipeline.start(encoded.tag)
            bytes.writeBuffer(&some)
        }
        if bytes.readableBytes > 0 { try await client.send(bytes) }
        return nil
    }

    /// Reads up to the end of a command; the end of its move, when it was the last one.
    private func receive(
        _ answers: inout Answers, _ pipeline: inout MovePipeline, on client: isolated IMAPConnection
    ) async throws(IMAPClientError) -> MoveEnd? {
        let (tag, status) = try await client.readEnd(of: pipeline.tags, into: &answers)
        for response in answers.takeUntagged() { pipeline.receive(response) }
        return pipeline.receiveTagged(tag, status)
    }
}

public import IMAPProtocol
import NIOCore

/// Moves to several mailboxes. The next command is sent before the last one has ended. RFC 6851.
extension MessageCommands {
    /// Moves messages of the open mailbox, and reports each result as soon as it is known.
    ///
    /// A refusal affects only its own move. If the connection is lost, each move of which anything was sent is reported
    /// with that error; a move that is never reported was not sent.
    ///
    /// - Parameters:
    ///   - moves: Messages and their destinations; no message occurs in two moves.
    ///   - report: Called for each move when it ends.
    /// - Throws: ``IMAPClientError`` if nothing could be sent.
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

    /// Sends as many commands as may run, in one write: if the server closes the connection in the middle, it has
    /// received the rest, and its earlier answers can still be read. Returns the end of a move that could not be sent,
    /// or that had to be sent alone.
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
                // The name must wait for the server's `+`.
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

    /// Reads up to the end of a command. Returns the end of its move, if this was its last command.
    private func receive(
        _ answers: inout Answers, _ pipeline: inout MovePipeline, on client: isolated IMAPConnection
    ) async throws(IMAPClientError) -> MoveEnd? {
        let (tag, status) = try await client.readEnd(of: pipeline.tags, into: &answers)
        for response in answers.takeUntagged() { pipeline.receive(response) }
        return pipeline.receiveTagged(tag, status)
    }
}

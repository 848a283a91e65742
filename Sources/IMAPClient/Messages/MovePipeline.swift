public import IMAPProtocol

/// Moves to several mailboxes: which commands are running, and to which each proof belongs. RFC 3501 §5.5, RFC 4315 §3,
/// RFC 6851 §4.3.
///
/// A pure value. The next command is sent before the last one has ended. A COPYUID names its messages, so it can be
/// assigned to its command wherever it comes: before the end of the command or in it.
struct MovePipeline {
    /// One command: as many messages of a move as the server accepts at once.
    struct Piece: Equatable {
        let move: Int
        let uids: UIDSet
    }

    private struct Progress {
        /// The number of pieces that have not ended.
        var left: Int
        var wasSent = false
        var proof: CopyUID?
        var hasMoved = false
        var refusal: IMAPClientError?

        /// The result of the move; some pieces may be done although one was refused.
        var result: MoveResult {
            guard let refusal else { return .success(proof) }
            return .failure(hasMoved ? .partlyDone(proof, cause: refusal) : refusal)
        }
    }

    private let depth: Int
    private var pending: [Piece]
    private var running: [(tag: CommandTag, piece: Piece)] = []
    private var progress: [Progress]

    /// `pieces`: the pieces of each move.
    init(_ pieces: [[UIDSet]], depth: Int) {
        self.depth = max(1, min(depth, 25))
        pending = pieces.enumerated().flatMap { move, sets in sets.map { Piece(move: move, uids: $0) } }
            .reversed()
        progress = pieces.map { Progress(left: $0.count) }
    }

    var isFinished: Bool { pending.isEmpty && running.isEmpty }
    var isIdle: Bool { running.isEmpty }
    /// The tags of the running commands.
    var tags: Set<CommandTag> { Set(running.map(\.tag)) }

    /// The next command, if another one may run.
    var next: Piece? { running.count < depth ? pending.last : nil }

    /// The next command was sent with this tag.
    mutating func start(_ tag: CommandTag) {
        guard let piece = pending.popLast() else { return }
        running.append((tag, piece))
        progress[piece.move].wasSent = true
    }

    /// The next command cannot be sent. Returns the end of its move, if no other piece of it is running.
    mutating func refuse(_ error: IMAPClientError) -> MoveEnd? {
        guard let piece = pending.popLast() else { return nil }
        return end(piece, refusal: error)
    }

    /// A proof may come before the end of its command. RFC 6851 §4.3.
    mutating func receive(_ response: Untagged) {
        if case .status(let status) = response { receive(status.code) }
    }

    private mutating func receive(_ code: ResponseCode?) {
        guard case .copyUID(let proof) = code, let source = proof.sources.first,
            let move = running.first(where: { $0.piece.uids.contains(source) })?.piece.move
        else { return }
        progress[move].proof = progress[move].proof?.joined(proof) ?? proof
    }

    /// The end of a running command. Returns the end of its move, if this was the last one.
    mutating func receiveTagged(_ tag: CommandTag, _ status: StatusResponse) -> MoveEnd? {
        receive(status.code)
        guard let index = running.firstIndex(where: { $0.tag == tag }) else { return nil }
        let piece = running.remove(at: index).piece
        if status.isOK { progress[piece.move].hasMoved = true }
        return end(piece, refusal: status.isOK ? nil : .refusal(of: "UID MOVE", status))
    }

    /// The connection was lost. Returns the results of all moves of which anything was sent.
    mutating func abandon(_ error: IMAPClientError) -> [MoveEnd] {
        let open = progress.indices.filter { progress[$0].wasSent && progress[$0].left > 0 }
        (pending, running) = ([], [])
        return open.map { move in
            progress[move].refusal = error
            progress[move].left = 0
            return MoveEnd(move: move, result: progress[move].result)
        }
    }

    private mutating func end(_ piece: Piece, refusal: IMAPClientError?) -> MoveEnd? {
        let move = piece.move
        progress[move].left -= 1
        if let refusal {
            progress[move].refusal = progress[move].refusal ?? refusal
            progress[move].left -= pending.count { $0.move == move }
            pending.removeAll { $0.move == move }
        }
        return progress[move].left == 0 ? MoveEnd(move: move, result: progress[move].result) : nil
    }
}

/// The server's proof for the moved messages, nil if it sent none; or the reason why not all were moved.
public typealias MoveResult = Result<CopyUID?, IMAPClientError>

/// The result of the move at this index.
public struct MoveEnd: Sendable {
    public var move: Int
    public var result: MoveResult
}

import MailStore
import Models

/// Moves from one mailbox to several: checked together, noted in the journal together, and sent together.
/// opus writes the results that have arrived while the server executes the next command.
///
/// Only for messages that exist and moves that were never tried; ``GroupMove`` does the others. When
/// the connection is lost, more steps are marked as issued than were sent. Steps that were not sent did
/// not happen, so they are ready again.
struct MovesTogether: DrainPart {
    let context: DrainContext

    private var group: GroupMove { GroupMove(context: context) }
    private var results: MoveResults { MoveResults(context: context) }

    typealias MoveGroupMembers = (group: MoveGroup, members: [PlacedStep])

    /// Consecutive groups with the same source mailbox, at most as many as may be sent at once.
    static func batches(_ groups: [(MoveGroup, [PlacedStep])], of groupSize: Int) -> [[MoveGroupMembers]] {
        var batches: [[MoveGroupMembers]] = []
        var size = 0
        for (group, members) in groups {
            let goesOn =
                batches.last?.first?.group.mailbox == group.mailbox && size + members.count <= groupSize
            if !goesOn {
                batches.append([])
                size = 0
            }
            batches[batches.count - 1].append((group, members))
            size += members.count
        }
        return batches
    }

    /// Moves the messages that are certainly in their place. The other steps stay open.
    ///
    /// - Parameters:
    ///   - batch: moves out of one mailbox.
    ///   - seen: messages of this batch that were read while the previous batch ran; nil: none.
    ///   - next: the next batch; empty if this is the last.
    ///   - ledger: the results.
    /// - Returns: the messages of the next batch that were read while the last results of this one were
    ///   written.
    /// - Throws: ``Interruption``, or an error of the store.
    func move(
        _ batch: [MoveGroupMembers], _ seen: [Int64: Aimed]?, next: [MoveGroupMembers],
        _ ledger: inout Ledger
    ) async throws -> [Int64: Aimed]? {
        let ready: [ReadyMove]
        do throws(SinkError) {
            ready = try await readyMoves(batch, seen, &ledger)
        } catch {
            // Each group checks again separately, and reports the error. Over a lost connection none can.
            if case .lost = error {
                let tried = batch.flatMap(\.members).map(\.step).filter {
                    $0.attempts == 0 && !ledger.isHeld($0) && !ledger.isSettled($0)
                }
                try ledger.fail(tried, error)
            }
            return nil
        }
        guard !ready.isEmpty else { return nil }
        var outcomes: [Int64: StepOutcome] = [:]
        for move in ready {
            outcomes.merge(GroupMove.outcomes(move.issued, move.numbers)) { first, _ in first }
        }
        try ledger.issue(ready.flatMap { $0.issued.map(\.step) }, outcomes)
        return try await send(ready, next: (try? await usual(next, ledger)) ?? [], &ledger)
    }

    /// Requests UIDNEXT of all destinations at once, before the first move.
    func noteDestinations(_ names: [MailboxName], _ ledger: inout Ledger) async {
        let unknown = Set(names).filter { ledger.destinations[$0] == nil }.sorted {
            $0.bytes.lexicographicallyPrecedes($1.bytes)
        }
        guard unknown.count > 1, let numbers = try? await sink.numbers(of: unknown) else { return }
        ledger.destinations.merge(numbers) { $1 }
    }

    /// A move that may be sent: its messages were found in the source.
    private struct ReadyMove {
        let group: MoveGroup
        let issued: [Aimed]
        let numbers: MailboxNumbers?
    }

    /// Moves that were never tried before, and that need only one command.
    private func usual(
        _ batch: [MoveGroupMembers], _ ledger: Ledger
    ) async throws(SinkError) -> [MoveGroupMembers] {
        var wanted: [MoveGroupMembers] = []
        for (group, members) in batch {
            guard case .atOnce = try await sink.wayToMove(from: group.mailbox, to: group.destination.name)
            else { continue }
            let usual = members.filter { $0.step.attempts == 0 && !ledger.isHeld($0.step) }
            if !usual.isEmpty { wanted.append((group, usual)) }
        }
        return wanted
    }

    private func look(at batch: [MoveGroupMembers]) async throws(SinkError) -> [Int64: Aimed] {
        guard let mailbox = batch.first?.group.mailbox else { return [:] }
        var seen: [Int64: Aimed] = [:]
        for aimed in try await MessageLook(context: context).look(
            at: batch.flatMap(\.members), in: mailbox)
        {
            if let id = aimed.step.id { seen[id] = aimed }
        }
        return seen
    }

    private func readyMoves(
        _ batch: [MoveGroupMembers], _ seen: [Int64: Aimed]?, _ ledger: inout Ledger
    ) async throws(SinkError) -> [ReadyMove] {
        let wanted = try await usual(batch, ledger)
        let looked: [Int64: Aimed]
        if let seen { looked = seen } else { looked = try await look(at: wanted) }
        var ready: [ReadyMove] = []
        for (group, members) in wanted {
            let there = members.compactMap { $0.step.id.flatMap { looked[$0] } }.filter {
                if case .there = $0.view { true } else { false }
            }
            guard !there.isEmpty else { continue }
            ready.append(
                ReadyMove(
                    group: group, issued: there, numbers: try await self.group.destination(group, &ledger)))
        }
        return ready
    }

    /// The trap: only the journal is written while the server works. A request about a single message would open
    /// another mailbox, so it waits until the connection is idle.
    private func send(
        _ moves: [ReadyMove], next: [MoveGroupMembers], _ ledger: inout Ledger
    ) async throws -> [Int64: Aimed]? {
        let answers = Arrivals<MoveAnswer>()
        async let ahead = order(moves, answers, thenLookAt: next)
        var proofs: [Int: [UInt32: NewPlace]] = [:]
        var refusals: [(move: ReadyMove, error: SinkError)] = []
        var untold = Set(moves.indices)
        for await some in answers {
            untold.subtract(some.map(\.order))
            for answer in some {
                switch answer.result {
                case .success(let places): proofs[answer.order] = places
                case .failure(let error): refusals.append((moves[answer.order], error))
                }
            }
            try ledger.together { ledger in
                for answer in some {
                    guard case .success(let places) = answer.result else { continue }
                    try results.confirm(
                        moves[answer.order].issued, places, moves[answer.order].group, &ledger)
                }
            }
        }
        let seen = await ahead
        let isAllProven = moves.allSatisfy { $0.issued.allSatisfy { ledger.isSettled($0.step) } }
        let unsent = untold.sorted().flatMap { moves[$0].issued.map(\.step) }
        try await settleRest(
            proofs.sorted { $0.key < $1.key }.map { (moves[$0.key], $0.value) }, refusals, unsent, &ledger)
        // Other requests took time meanwhile: check again, immediately before the next messages are moved.
        return isAllProven ? seen : nil
    }

    /// Sends the moves. While their results are written, reads the messages to move next.
    private func order(
        _ moves: [ReadyMove], _ answers: Arrivals<MoveAnswer>, thenLookAt next: [MoveGroupMembers]
    ) async -> [Int64: Aimed]? {
        let orders = moves.map {
            MoveOrder(targets: $0.issued.map(\.target), destination: $0.group.destination)
        }
        if let mailbox = moves.first?.group.mailbox {
            await sink.move(orders, from: mailbox) { answers.add($0) }
        }
        answers.finish()
        return next.isEmpty ? nil : try? await look(at: next)
    }

    /// Settles the moves that the server did not prove, refused or left without an answer, and those that
    /// were never sent. All of them are in the journal before a lost connection ends the drain.
    private func settleRest(
        _ proofs: [(ReadyMove, [UInt32: NewPlace])], _ refusals: [(move: ReadyMove, error: SinkError)],
        _ unsent: [Step], _ ledger: inout Ledger
    ) async throws {
        var interruption: Interruption?
        var inParts: [ReadyMove] = []
        for (move, error) in refusals {
            if case .refusedSome = error {
                inParts.append(move)
                continue
            }
            do {
                try ledger.fail(move.issued.map(\.step), error)
            } catch let lost as Interruption {
                interruption = lost
            }
        }
        try ledger.together { ledger in
            for step in unsent {
                try ledger.wait(
                    step, because: "not sent: \(interruption?.reason ?? "the account gave no answer")")
            }
        }
        for (move, places) in proofs.map({ ($0, Optional($1)) }) + inParts.map({ ($0, nil) }) {
            do throws(SinkError) {
                if let places {
                    try await results.settleUnproven(move.issued, places, move.group, &ledger)
                } else {
                    try await group.moveInParts(move.issued, .atOnce, move.group, &ledger)
                }
            } catch {
                do {
                    try ledger.fail(
                        move.issued.map(\.step).filter { !ledger.isSettled($0) }, error)
                } catch let lost as Interruption {
                    interruption = interruption ?? lost
                }
            }
        }
        if let interruption { throw interruption }
    }
}

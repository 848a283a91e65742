import MailStore
import Models

/// Moves out of one mailbox into several: looked at together, noted in the journal together, and sent together, each
/// result written while the account is busy with the next command.
///
/// Only for what is there and was never tried before; everything else is left to the group by itself. The trap: more is
/// marked as issued than was sent when the connection is lost. What was not sent has not happened, and goes back.
extension Drain {
    typealias MoveGroupMembers = (group: MoveGroup, members: [PlacedStep])

    /// Groups that follow one another and share the mailbox that they come from, as many as may be on the way at once.
    static func batches(_ groups: [(MoveGroup, [PlacedStep])]) -> [[MoveGroupMembers]] {
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

    /// Moves what can be moved without a question; the rest stays open.
    func moveTogether(_ batch: [MoveGroupMembers], _ ledger: inout Ledger) async throws {
        guard batch.count > 1 else { return }
        let ready: [ReadyMove]
        do throws(SinkError) {
            ready = try await readyMoves(batch, &ledger)
        } catch {
            // Each group asks again by itself, and is told.
            return
        }
        guard !ready.isEmpty else { return }
        var outcomes: [Int64: StepOutcome] = [:]
        for move in ready { outcomes.merge(Self.outcomes(move.issued, move.numbers)) { first, _ in first } }
        try ledger.issue(ready.flatMap { $0.issued.map(\.step) }, outcomes)
        try await send(ready, &ledger)
    }

    /// A command that may be sent: what it moves was seen where it is to be taken from.
    private struct ReadyMove {
        let group: MoveGroup
        let issued: [Aimed]
        let numbers: MailboxNumbers?
    }

    private func readyMoves(
        _ batch: [MoveGroupMembers], _ ledger: inout Ledger
    ) async throws(SinkError) -> [ReadyMove] {
        var wanted: [MoveGroupMembers] = []
        for (group, members) in batch {
            guard case .atOnce = try await sink.wayToMove(from: group.mailbox, to: group.destination.name)
            else { continue }
            let usual = members.filter { $0.step.attempts == 0 && !ledger.isHeld($0.step) }
            if !usual.isEmpty { wanted.append((group, usual)) }
        }
        guard wanted.count > 1, let mailbox = wanted.first?.group.mailbox else { return [] }
        var looked = try await lookAt(wanted.flatMap(\.members), in: mailbox)[...]
        let unknown = wanted.map(\.group.destination.name).filter { ledger.destinations[$0] == nil }
        if !unknown.isEmpty { ledger.destinations.merge(try await sink.numbers(of: unknown)) { $1 } }
        var ready: [ReadyMove] = []
        for (group, members) in wanted {
            let there = looked.prefix(members.count).filter {
                if case .there = $0.view { true } else { false }
            }
            looked = looked.dropFirst(members.count)
            guard !there.isEmpty else { continue }
            ready.append(
                ReadyMove(group: group, issued: there, numbers: try await destination(group, &ledger)))
        }
        return ready
    }

    private func send(_ moves: [ReadyMove], _ ledger: inout Ledger) async throws {
        let (answers, teller) = AsyncStream.makeStream(of: MoveAnswer.self)
        async let sent: Void = order(moves, teller)
        var untold = Set(moves.indices)
        var lost: (steps: [Step], reason: String) = ([], "the account gave no answer")
        for await answer in answers {
            let move = moves[answer.order]
            untold.remove(answer.order)
            switch answer.result {
            case .success(let places): try await settle(move, places, &ledger)
            case .failure(.lost(let reason)): lost = (lost.steps + move.issued.map(\.step), reason)
            case .failure(let error): try await failed(move.issued.map(\.step), error, &ledger)
            }
        }
        await sent
        try ledger.together { ledger in
            for step in untold.sorted().flatMap({ moves[$0].issued }).map(\.step) {
                try ledger.wait(step, because: "not sent: \(lost.reason)")
            }
        }
        if !lost.steps.isEmpty { try await failed(lost.steps, .lost(lost.reason), &ledger) }
    }

    private func order(_ moves: [ReadyMove], _ teller: AsyncStream<MoveAnswer>.Continuation) async {
        let orders = moves.map {
            MoveOrder(targets: $0.issued.map(\.target), destination: $0.group.destination)
        }
        if let mailbox = moves.first?.group.mailbox {
            await sink.move(orders, from: mailbox) { teller.yield($0) }
        }
        teller.finish()
    }

    private func settle(
        _ move: ReadyMove, _ places: [UInt32: NewPlace], _ ledger: inout Ledger
    ) async throws {
        do throws(SinkError) {
            try await settleMoved(move.issued, places, move.group, &ledger)
        } catch {
            try await failed(move.issued.map(\.step).filter { !ledger.isSettled($0) }, error, &ledger)
        }
    }
}

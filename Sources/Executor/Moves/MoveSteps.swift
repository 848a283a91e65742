import MailStore
import Models

/// Steps that move messages, in groups that share both mailboxes.
struct MoveSteps: DrainPart {
    let context: DrainContext

    func run(_ ledger: inout Ledger) async throws {
        var (round, later) = Self.round(of: ledger.steps.filter { !ledger.isHeld($0) })
        while !round.isEmpty {
            try await moveOnce(round, &ledger)
            guard !later.isEmpty else { return }
            // For a message that is moved twice, the store has already noted its new place.
            let waiting = Set(later.compactMap(\.id))
            let open = try store.journal.openSteps(of: account).filter {
                $0.id.map(waiting.contains) ?? false
            }
            (round, later) = Self.round(of: open.filter { !ledger.isHeld($0) })
        }
    }

    /// The first move from each place. A second move of the message starts where the first one ends.
    private static func round(of steps: [Step]) -> (first: [Step], later: [Step]) {
        var seen: Set<MessageKey> = []
        var (first, later): ([Step], [Step]) = ([], [])
        for step in steps {
            guard case .move(let key, to: _) = step.kind else { continue }
            if seen.insert(key).inserted { first.append(step) } else { later.append(step) }
        }
        return (first, later)
    }

    private func moveOnce(_ steps: [Step], _ ledger: inout Ledger) async throws {
        var groups = Groups<MoveGroup>()
        for step in steps {
            guard case .move(let key, let destination) = step.kind else { continue }
            if key.mailbox == destination.name {
                // The move that this step would undo did not happen.
                try ledger.confirm(
                    step, proof: Step.Proof(.neverLeft, destination.displayName), wasDone: true)
                continue
            }
            groups.add(
                PlacedStep(step: step, key: key),
                to: MoveGroup(mailbox: key.mailbox, destination: destination))
        }
        let together = MovesTogether(context: context)
        let chunks = groups.chunks(of: context.groupSize)
        let batches = MovesTogether.batches(chunks, of: context.groupSize)
        if chunks.count > 1 { await together.noteDestinations(chunks.map(\.0.destination.name), &ledger) }
        var seen: [Int64: Aimed]?
        for (number, batch) in batches.enumerated() {
            if chunks.count > 1 {
                let next = number + 1 < batches.count ? batches[number + 1] : []
                seen = try await together.move(batch, seen, next: next, &ledger)
            }
            for (group, members) in batch {
                // An earlier move of this drain may have settled later steps.
                let open = members.filter { !ledger.isHeld($0.step) }
                guard !open.isEmpty else { continue }
                seen = nil
                try await GroupMove(context: context).move(group, open, &ledger)
            }
        }
    }
}

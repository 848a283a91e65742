import MailStore
import Models

/// The moves from one mailbox to another: check, move, and trust only proof.
struct GroupMove: DrainPart {
    let context: DrainContext

    private var results: MoveResults { MoveResults(context: context) }
    private var copies: CopyThenRemove { CopyThenRemove(context: context) }

    func move(_ group: MoveGroup, _ members: [PlacedStep], _ ledger: inout Ledger) async throws {
        var issued: [Aimed] = []
        do throws(SinkError) {
            let way = try await sink.wayToMove(from: group.mailbox, to: group.destination.name)
            let name = group.destination.name
            if ledger.destinations[name] == nil {
                ledger.destinations[name] = try await sink.openForLook(group.mailbox, before: name)
            }
            let looked = try await MessageLook(context: context).look(at: members, in: group.mailbox)
            for aimed in looked {
                switch aimed.view {
                case .there where aimed.step.attempts == 0 && aimed.step.outcome.copied == nil:
                    issued.append(aimed)
                case .there: if try await isToBeMoved(aimed, group, nil, &ledger) { issued.append(aimed) }
                case .gone: try await results.settleGone(aimed, group, wasSent: false, &ledger)
                case .another:
                    try ledger.settle {
                        try $0.reject(aimed.step, because: "another message is in its place")
                    }
                case .unreadable: try ledger.settle { try $0.waitForMessage(of: aimed.step) }
                }
            }
            guard !issued.isEmpty else { return }
            let numbers = try await destination(group, &ledger)
            try issue(issued, numbers, &ledger)
            try await moveInParts(issued, way, group, &ledger)
        } catch {
            try ledger.fail(members.map(\.step).filter { !ledger.isSettled($0) }, error)
        }
    }

    func moveInParts(
        _ issued: [Aimed], _ way: WayToMove, _ group: MoveGroup, _ ledger: inout Ledger
    ) async throws(SinkError) {
        var isFirst = true
        let gone = try await PartedRequest(context: context).run(issued, in: group.mailbox, &ledger) {
            (some, ledger) async throws(SinkError) in
            switch way {
            case .atOnce:
                let places = try await sink.move(
                    some.map(\.target), from: group.mailbox, to: group.destination)
                try await results.settleMoved(some, places, group, &ledger)
            case .copyThenRemove:
                // A server may copy some messages of a request that it refuses.
                let open = isFirst ? some : try await notCopied(some, group, &ledger)
                isFirst = false
                if !open.isEmpty { try await copies.move(open, group, &ledger) }
            }
        }
        for aimed in gone { try await results.settleGone(aimed, group, wasSent: true, &ledger) }
    }

    /// The numbers of the destination before the move: UIDNEXT distinguishes moved messages from those that were
    /// there before. Creates the mailbox if it is missing.
    func destination(
        _ group: MoveGroup, _ ledger: inout Ledger
    ) async throws(SinkError) -> MailboxNumbers? {
        let name = group.destination.name
        if let known = ledger.destinations[name] { return known }
        if let numbers = try await sink.numbers(of: name) {
            ledger.destinations[name] = numbers
            return numbers
        }
        try await create(group.destination)
        let empty = MailboxNumbers(uidValidity: 0, uidNext: 1)
        ledger.destinations[name] = empty
        return empty
    }

    private func issue(
        _ issued: [Aimed], _ numbers: MailboxNumbers?, _ ledger: inout Ledger
    ) throws(SinkError) {
        do {
            try ledger.issue(issued.map(\.step), Self.outcomes(issued, numbers))
        } catch {
            throw .lost("the journal could not be written: \(error)")
        }
    }

    /// The known state immediately before messages are moved, by step id.
    static func outcomes(_ issued: [Aimed], _ numbers: MailboxNumbers?) -> [Int64: StepOutcome] {
        var outcomes: [Int64: StepOutcome] = [:]
        for aimed in issued {
            guard let id = aimed.step.id else { continue }
            var outcome = aimed.step.outcome
            // UIDNEXT noted by an earlier attempt is the lower bound for the results of that attempt.
            if outcome.destinationUIDNext == nil {
                outcome.destinationUIDNext = numbers.map { $0.uidNext ?? 1 }
                outcome.destinationUIDValidity = numbers.flatMap {
                    $0.uidValidity == 0 ? nil : $0.uidValidity
                }
            }
            outcome.copied = nil
            outcomes[id] = outcome
        }
        return outcomes
    }

    /// Those of which the destination has no copy yet; finishes the others.
    private func notCopied(
        _ some: [Aimed], _ group: MoveGroup, _ ledger: inout Ledger
    ) async throws(SinkError) -> [Aimed] {
        let before = ledger.destinations[group.destination.name]
        var open: [Aimed] = []
        for aimed in some where try await isToBeMoved(aimed, group, before, &ledger) { open.append(aimed) }
        return open
    }

    /// The move was requested before, and the message is still in the source. Returns whether the move may be
    /// requested again. `before`: the numbers of the destination before this drain requested it; nil: only an earlier drain
    /// did.
    private func isToBeMoved(
        _ aimed: Aimed, _ group: MoveGroup, _ before: MailboxNumbers?, _ ledger: inout Ledger
    ) async throws(SinkError) -> Bool {
        if await sink.movesLeaveNoCopies { return true }
        if let copy = try await results.provenCopy(of: aimed) {
            try await copies.finish(aimed, copy, group, &ledger)
            return false
        }
        switch try await results.verdict(on: aimed, inSource: true, group, before: before) {
        case .notApplied, .elsewhere, .confirmed: return true
        case .partial(let copy):
            try await copies.finish(aimed, copy, group, &ledger)
            return false
        case .ambiguous:
            try results.askWhich(aimed, group, &ledger)
            return false
        }
    }
}

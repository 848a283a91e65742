import MailStore
import Models

/// Steps that move messages, in groups that share both mailboxes: look, act, and believe only what is proven.
extension Drain {
    func runMoveSteps(_ steps: [Step], _ ledger: inout Ledger) async throws {
        var (round, later) = Self.round(of: steps.filter { !ledger.isHeld($0) })
        while !round.isEmpty {
            try await moveOnce(round, &ledger)
            guard !later.isEmpty else { return }
            // The store has given what is moved again its new place.
            let waiting = Set(later.compactMap(\.id))
            let open = try store.openSteps(of: account).filter { $0.id.map(waiting.contains) ?? false }
            (round, later) = Self.round(of: open.filter { !ledger.isHeld($0) })
        }
    }

    /// The first move from each place; what moves the message again begins where that one ends.
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
                // The move that it was to take back did not happen.
                try ledger.confirm(step, evidence: "never left \(destination.displayName)", wasSo: true)
                continue
            }
            groups.add(
                PlacedStep(step: step, key: key),
                to: MoveGroup(mailbox: key.mailbox, destination: destination))
        }
        let chunks = groups.chunks(of: groupSize)
        let batches = Self.batches(chunks, of: groupSize)
        if chunks.count > 1 { await noteDestinations(chunks.map(\.0.destination.name), &ledger) }
        var seen: [Int64: Aimed]?
        for (number, batch) in batches.enumerated() {
            if chunks.count > 1 {
                let next = number + 1 < batches.count ? batches[number + 1] : []
                seen = try await moveTogether(batch, seen, next: next, &ledger)
            }
            for (group, members) in batch {
                // A move of ours may have settled what comes later in the same drain.
                let open = members.filter { !ledger.isHeld($0.step) }
                guard !open.isEmpty else { continue }
                seen = nil
                try await move(group, open, &ledger)
            }
        }
    }

    private func move(_ group: MoveGroup, _ members: [PlacedStep], _ ledger: inout Ledger) async throws {
        var issued: [Aimed] = []
        do throws(SinkError) {
            let way = try await sink.wayToMove(from: group.mailbox, to: group.destination.name)
            let looked = try await lookAt(members, in: group.mailbox)
            for aimed in looked {
                switch aimed.view {
                case .there where aimed.step.attempts == 0: issued.append(aimed)
                case .there: if try await isToBeMoved(aimed, group, &ledger) { issued.append(aimed) }
                case .gone: try await settleGone(aimed, group, wasSent: false, &ledger)
                case .another:
                    try settle(&ledger) {
                        try $0.reject(aimed.step, because: "another message stands in its place")
                    }
                }
            }
            guard !issued.isEmpty else { return }
            let numbers = try await destination(group, &ledger)
            try issue(issued, numbers, &ledger)
            try await moveInParts(issued, way, group, &ledger)
        } catch {
            try await failed(members.map(\.step).filter { !ledger.isSettled($0) }, error, &ledger)
        }
    }

    func moveInParts(
        _ issued: [Aimed], _ way: WayToMove, _ group: MoveGroup, _ ledger: inout Ledger
    ) async throws(SinkError) {
        let gone = try await inParts(issued, in: group.mailbox, &ledger) {
            (some, ledger) async throws(SinkError) in
            switch way {
            case .atOnce:
                let places = try await sink.move(
                    some.map(\.target), from: group.mailbox, to: group.destination)
                try await settleMoved(some, places, group, &ledger)
            case .copyThenRemove: try await copyThenRemove(some, group, &ledger)
            }
        }
        for aimed in gone { try await settleGone(aimed, group, wasSent: true, &ledger) }
    }

    /// What tells our messages from those that were there before; the mailbox is made where it is missing.
    func destination(
        _ group: MoveGroup, _ ledger: inout Ledger
    ) async throws(SinkError) -> MailboxNumbers? {
        let name = group.destination.name
        if let known = ledger.destinations[name] { return known }
        if let numbers = try await sink.numbers(of: name) {
            ledger.destinations[name] = numbers
            return numbers
        }
        try await sink.create(group.destination)
        return MailboxNumbers(uidValidity: 0, uidNext: nil)
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

    /// What is known right before messages are moved, by the step's id.
    static func outcomes(_ issued: [Aimed], _ numbers: MailboxNumbers?) -> [Int64: StepOutcome] {
        var outcomes: [Int64: StepOutcome] = [:]
        for aimed in issued {
            guard let id = aimed.step.id else { continue }
            var outcome = aimed.step.outcome
            // What an earlier attempt noted is the lower bound for all that came of it.
            outcome.destinationUIDNext = outcome.destinationUIDNext ?? numbers?.uidNext
            outcome.copied = nil
            outcomes[id] = outcome
        }
        return outcomes
    }

    func settleMoved(
        _ issued: [Aimed], _ places: [UInt32: NewPlace], _ group: MoveGroup, _ ledger: inout Ledger
    ) async throws(SinkError) {
        try settle(&ledger) { try confirm(issued, places, group, &$0) }
        try await settleUnproven(issued, places, group, &ledger)
    }

    func confirm(
        _ issued: [Aimed], _ places: [UInt32: NewPlace], _ group: MoveGroup, _ ledger: inout Ledger
    ) throws {
        for aimed in issued {
            guard let place = places[aimed.target.uid] else { continue }
            try ledger.confirm(
                aimed.step, evidence: place.evidence, movedTo: key(of: place, group),
                remoteName: place.remoteName)
        }
    }

    /// What the answer to a move does not name is looked for.
    func settleUnproven(
        _ issued: [Aimed], _ places: [UInt32: NewPlace], _ group: MoveGroup, _ ledger: inout Ledger
    ) async throws(SinkError) {
        let unproven = issued.filter { places[$0.target.uid] == nil && !ledger.isSettled($0.step) }
        guard !unproven.isEmpty else { return }
        let still = try await sink.look(at: unproven.map(\.target), in: group.mailbox)
        try settle(&ledger) { ledger in
            for aimed in unproven where still[aimed.target.uid] != nil {
                try ledger.postpone(aimed.step, because: "the server left it in \(group.mailbox)")
            }
        }
        for aimed in unproven where still[aimed.target.uid] == nil {
            try await settleGone(aimed, group, wasSent: true, &ledger)
        }
    }

    func key(of place: NewPlace, _ group: MoveGroup) -> MessageKey? {
        place.uidValidity.map {
            MessageKey(account: account, mailbox: group.destination.name, uidValidity: $0, uid: place.uid)
        }
    }

    // MARK: What nothing proved

    /// It was asked for before, and stands in the source: whether it may be asked for again.
    private func isToBeMoved(
        _ aimed: Aimed, _ group: MoveGroup, _ ledger: inout Ledger
    ) async throws(SinkError) -> Bool {
        if await sink.movesLeaveNoCopies { return true }
        switch try await verdict(on: aimed, inSource: true, group) {
        case .notApplied, .elsewhere, .confirmed: return true
        case .partial(let copy):
            try await finish(aimed, copy, group, &ledger)
            return false
        case .ambiguous:
            try askWhich(aimed, group, &ledger)
            return false
        }
    }

    /// Not in its mailbox any more: either it already stands where it should, or somebody else moved it.
    /// `wasSent`: our own command may be what moved it.
    func settleGone(
        _ aimed: Aimed, _ group: MoveGroup, wasSent: Bool, _ ledger: inout Ledger
    ) async throws(SinkError) {
        switch try await verdict(on: aimed, inSource: false, group) {
        case .confirmed(let found), .partial(let found):
            let key = MessageKey(
                account: account, mailbox: group.destination.name, uidValidity: found.uidValidity,
                uid: found.uid)
            try settle(&ledger) {
                try $0.confirm(
                    aimed.step, evidence: "already in \(group.destination.displayName)", movedTo: key,
                    remoteName: found.remoteName, wasSo: !wasSent && aimed.step.attempts == 0)
            }
        case .ambiguous where aimed.step.attempts == 0:
            // Nothing of ours is among them, and it stands where it should.
            try settle(&ledger) {
                try $0.confirm(
                    aimed.step, evidence: "already in \(group.destination.displayName)", wasSo: !wasSent)
            }
        case .ambiguous: try askWhich(aimed, group, &ledger)
        case .notApplied, .elsewhere:
            let place = try await whereabouts(of: aimed, group)
            try settle(&ledger) {
                try $0.reject(
                    aimed.step,
                    because: "no longer in \(group.mailbox): another program moved "
                        + (place.map { "it to \($0)" } ?? "or removed it"))
            }
        }
    }

    private func askWhich(
        _ aimed: Aimed, _ group: MoveGroup, _ ledger: inout Ledger
    ) throws(SinkError) {
        try settle(&ledger) {
            try $0.ask(
                about: aimed.step,
                because: "\(group.destination.displayName) holds several messages like it: look there and in "
                    + "\(group.mailbox)")
        }
    }

    private func verdict(
        on aimed: Aimed, inSource: Bool, _ group: MoveGroup
    ) async throws(SinkError) -> MoveVerdict {
        let original = MoveVerdict.Original(header: aimed.header, received: aimed.received, size: aimed.size)
        let isScoped = await !sink.movesLeaveNoCopies && aimed.step.attempts > 0
        let found = try await candidates(for: aimed, in: group.destination.name)
        return MoveVerdict.judge(
            inSource: inSource, found: found, original: original,
            firstNew: isScoped ? aimed.step.outcome.destinationUIDNext : nil, canonical: canonical)
    }

    /// Messages that may be it: by the account's own name for it, or by its Message-ID.
    private func candidates(
        for aimed: Aimed, in mailbox: MailboxName
    ) async throws(SinkError) -> [FoundMessage] {
        guard try await sink.numbers(of: mailbox) != nil else { return [] }
        var found: [FoundMessage] = []
        if let remoteID = aimed.remoteID { found = try await sink.find(remoteID: remoteID, in: mailbox) }
        if found.isEmpty, let messageID = aimed.messageID {
            found = try await sink.find(messageID, in: mailbox)
        }
        return found
    }

    /// Where another program put it, as far as the usual places tell.
    private func whereabouts(of aimed: Aimed, _ group: MoveGroup) async throws(SinkError) -> String? {
        let mailboxes: [Mailbox]
        do {
            mailboxes = try store.mailboxes(of: account)
        } catch {
            throw .lost("the store could not be read: \(error)")
        }
        for role in [MailboxRole.trash, .archive, .junk, .all] {
            for mailbox in mailboxes
            where mailbox.role == role && mailbox.name != group.destination.name
                && mailbox.name != group.mailbox
            {
                let found = try await candidates(for: aimed, in: mailbox.name)
                if found.contains(where: { canonical($0.header) == aimed.header }) {
                    return mailbox.displayName
                }
            }
        }
        return nil
    }
}

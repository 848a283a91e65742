import MailStore
import Models

/// Steps that move messages, in groups that share both mailboxes.
extension Drain {
    func runMoveSteps(_ steps: [Step], _ ledger: inout Ledger) async throws {
        var groups = Groups<MoveGroup>()
        for step in steps where !ledger.isHeld(step) {
            guard case .move(let key, let destination) = step.kind else { continue }
            groups.add(
                PlacedStep(step: step, key: key),
                to: MoveGroup(mailbox: key.mailbox, destination: destination))
        }
        for (group, members) in groups.chunks(of: Self.groupSize) {
            try await move(group, members, &ledger)
        }
    }

    private func move(_ group: MoveGroup, _ members: [PlacedStep], _ ledger: inout Ledger) async throws {
        var issued: [Aimed] = []
        do throws(SinkError) {
            for aimed in try await lookAt(members, in: group.mailbox) {
                switch aimed.view {
                case .there:
                    if try await !isHalfMoved(aimed, group, &ledger) { issued.append(aimed) }
                case .gone: try await settleGone(aimed, group, &ledger)
                case .another:
                    try settle(&ledger) {
                        try $0.reject(aimed.step, because: "another message stands in its place")
                    }
                }
            }
            if !issued.isEmpty, try await sink.open(group.destination.name) == nil {
                try await sink.create(group.destination)
            }
        } catch {
            return try await failed(members.map(\.step).filter { !ledger.isSettled($0) }, error, &ledger)
        }
        guard !issued.isEmpty else { return }
        try ledger.issue(issued.map(\.step))
        do throws(SinkError) {
            let places = try await sink.move(
                issued.map(\.target), from: group.mailbox, to: group.destination)
            try await settleMoved(issued, places, group, &ledger)
        } catch {
            try await failed(issued.map(\.step).filter { !ledger.isSettled($0) }, error, &ledger)
        }
    }

    private func settleMoved(
        _ issued: [Aimed], _ places: [UInt32: NewPlace], _ group: MoveGroup, _ ledger: inout Ledger
    ) async throws(SinkError) {
        var unproven: [Aimed] = []
        for aimed in issued {
            guard let place = places[aimed.target.uid] else {
                unproven.append(aimed)
                continue
            }
            let key = place.uidValidity.map {
                MessageKey(account: account, mailbox: group.destination.name, uidValidity: $0, uid: place.uid)
            }
            try settle(&ledger) {
                try $0.confirm(
                    aimed.step, evidence: place.evidence, movedTo: key, remoteName: place.remoteName)
            }
        }
        guard !unproven.isEmpty else { return }
        let still = try await sink.look(at: unproven.map(\.target), in: group.mailbox)
        for aimed in unproven {
            if still[aimed.target.uid] != nil {
                try settle(&ledger) {
                    try $0.postpone(aimed.step, because: "the server left it in \(group.mailbox)")
                }
            } else {
                try await settleGone(aimed, group, &ledger)
            }
        }
    }

    /// It was tried before, and the message stands at both ends: it was copied and not removed. Moving it again would
    /// copy it again, and which of the two may go is not for us to say.
    private func isHalfMoved(
        _ aimed: Aimed, _ group: MoveGroup, _ ledger: inout Ledger
    ) async throws(SinkError) -> Bool {
        guard aimed.step.attempts > 0, await !sink.movesLeaveNoCopies,
            try await arrival(of: aimed, group) != nil
        else { return false }
        try settle(&ledger) {
            try $0.ask(
                about: aimed.step,
                because:
                    "it stands in \(group.mailbox) and in \(group.destination.displayName): remove one of them"
            )
        }
        return true
    }

    /// Not in its mailbox any more: either it already stands where it should, or somebody else moved it.
    private func settleGone(
        _ aimed: Aimed, _ group: MoveGroup, _ ledger: inout Ledger
    ) async throws(SinkError) {
        guard let found = try await arrival(of: aimed, group) else {
            return try settle(&ledger) {
                try $0.reject(
                    aimed.step, because: "no longer in \(group.mailbox): another program moved or removed it")
            }
        }
        let key = MessageKey(
            account: account, mailbox: group.destination.name, uidValidity: found.uidValidity, uid: found.uid)
        try settle(&ledger) {
            try $0.confirm(
                aimed.step, evidence: "already in \(group.destination.displayName)", movedTo: key,
                remoteName: found.remoteName)
        }
    }

    /// The message where it was to go: by the account's own name for it, or by its whole header.
    private func arrival(of aimed: Aimed, _ group: MoveGroup) async throws(SinkError) -> FoundMessage? {
        let destination = group.destination.name
        guard try await sink.open(destination) != nil else { return nil }
        var found: [FoundMessage] = []
        if let remoteID = aimed.remoteID {
            found = try await sink.find(remoteID: remoteID, in: destination)
        }
        if found.isEmpty, let messageID = aimed.messageID {
            found = try await sink.find(messageID, in: destination)
        }
        return found.first { canonical($0.header) == aimed.header }
    }

    private func settle(
        _ ledger: inout Ledger, _ body: (inout Ledger) throws -> Void
    ) throws(SinkError) {
        do {
            try body(&ledger)
        } catch {
            throw .lost("the journal could not be written: \(error)")
        }
    }
}

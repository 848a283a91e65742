import MailStore
import Models

/// Steps on messages that exist: marks and moves, in groups that share a mailbox and a wish.
extension Drain {
    /// Messages of one command: what one lost answer leaves to be looked at.
    static let groupSize = 200

    func runMarkSteps(_ steps: [Step], _ ledger: inout Ledger) async throws {
        var groups = Groups<MarkGroup>()
        for step in steps where !ledger.isHeld(step) {
            guard case .store(let key, let add, let remove, let addWords, let removeWords) = step.kind else {
                continue
            }
            let change = MarkChange(
                addFlags: add, removeFlags: remove, addKeywords: addWords, removeKeywords: removeWords)
            groups.add(PlacedStep(step: step, key: key), to: MarkGroup(mailbox: key.mailbox, change: change))
        }
        for (group, members) in groups.chunks(of: Self.groupSize) {
            try await mark(group, members, &ledger)
        }
    }

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

    private func mark(_ group: MarkGroup, _ members: [PlacedStep], _ ledger: inout Ledger) async throws {
        let issued: [Aimed]
        do throws(SinkError) {
            let looked = try await lookAt(members, in: group.mailbox)
            issued = try await settleMarks(group, looked, &ledger)
        } catch {
            return try await failed(members.map(\.step), error, &ledger)
        }
        guard !issued.isEmpty else { return }
        try ledger.issue(issued.map(\.step))
        do throws(SinkError) {
            let echo = try await sink.store(group.change, on: issued.map(\.target), in: group.mailbox)
            for aimed in issued {
                try await record(aimed, group, echo[aimed.target.uid], &ledger)
            }
        } catch {
            try await failed(issued.map(\.step), error, &ledger)
        }
    }

    private func record(
        _ aimed: Aimed, _ group: MarkGroup, _ shown: Sighting?, _ ledger: inout Ledger
    ) async throws(SinkError) {
        do {
            if let shown, group.change.holds(for: shown) {
                try ledger.confirm(aimed.step, evidence: "the flags were shown", marks: shown)
            } else if shown == nil {
                try ledger.postpone(aimed.step, because: "the server did not show the flags again")
            } else {
                try ledger.postpone(aimed.step, because: "the server did not take the flags")
            }
        } catch {
            throw .lost("the journal could not be written: \(error)")
        }
    }

    private func settleMarks(
        _ group: MarkGroup, _ looked: [Aimed], _ ledger: inout Ledger
    ) async throws(SinkError) -> [Aimed] {
        var left: [Aimed] = []
        do {
            for aimed in looked {
                switch aimed.view {
                case .there(let sighting) where group.change.holds(for: sighting):
                    try ledger.confirm(aimed.step, evidence: "already so", marks: sighting)
                case .there:
                    left.append(aimed)
                case .gone:
                    try ledger.reject(aimed.step, because: "the message is no longer in \(group.mailbox)")
                case .another:
                    try ledger.reject(aimed.step, because: "another message stands in its place")
                }
            }
        } catch {
            throw .lost("the journal could not be written: \(error)")
        }
        return left
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
                issued.map(\.target), from: group.mailbox, to: group.destination.name)
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
            let key = MessageKey(
                account: account, mailbox: group.destination.name, uidValidity: place.uidValidity,
                uid: place.uid)
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
        guard aimed.step.attempts > 0, try await arrival(of: aimed, group) != nil else { return false }
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

    /// The message where it was to go, known by its whole header.
    private func arrival(of aimed: Aimed, _ group: MoveGroup) async throws(SinkError) -> FoundMessage? {
        guard let messageID = aimed.messageID, try await sink.open(group.destination.name) != nil else {
            return nil
        }
        return try await sink.find(messageID, in: group.destination.name).first {
            canonical($0.header) == aimed.header
        }
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

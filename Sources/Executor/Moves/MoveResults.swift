import MIMEParser
import MailStore
import Models

/// Determines the results of moves: from the proof of the account, or from the content of both mailboxes.
struct MoveResults: DrainPart {
    let context: DrainContext

    func settleMoved(
        _ issued: [Aimed], _ places: [UInt32: NewPlace], _ group: MoveGroup, _ ledger: inout Ledger
    ) async throws(SinkError) {
        try ledger.settle { try confirm(issued, places, group, &$0) }
        try await settleUnproven(issued, places, group, &ledger)
    }

    func confirm(
        _ issued: [Aimed], _ places: [UInt32: NewPlace], _ group: MoveGroup, _ ledger: inout Ledger
    ) throws {
        for aimed in issued {
            guard let place = places[aimed.target.uid] else { continue }
            try ledger.confirm(
                aimed.step, proof: .reported(place.evidence), movedTo: group.key(of: place, account),
                remoteName: place.remoteName)
        }
    }

    /// Searches for the messages that the answer to a move does not mention.
    func settleUnproven(
        _ issued: [Aimed], _ places: [UInt32: NewPlace], _ group: MoveGroup, _ ledger: inout Ledger
    ) async throws(SinkError) {
        let unproven = issued.filter { places[$0.target.uid] == nil && !ledger.isSettled($0.step) }
        guard !unproven.isEmpty else { return }
        let still = try await sink.look(at: unproven.map(\.target), in: group.mailbox)
        try ledger.settle { ledger in
            for aimed in unproven where still[aimed.target.uid] != nil {
                try ledger.postpone(aimed.step, because: "the server left it in \(group.mailbox)")
            }
        }
        for aimed in unproven where still[aimed.target.uid] == nil {
            try await settleGone(aimed, group, wasSent: true, &ledger)
        }
    }

    /// The message is no longer in its mailbox: it is in its destination, or another program moved or removed
    /// it. `wasSent`: this drain requested the move, so opus may have moved it.
    func settleGone(
        _ aimed: Aimed, _ group: MoveGroup, wasSent: Bool, _ ledger: inout Ledger
    ) async throws(SinkError) {
        let before = wasSent ? ledger.destinations[group.destination.name] : nil
        switch try await verdict(on: aimed, inSource: false, group, before: before) {
        case .confirmed(let found), .partial(let found):
            let key = MessageKey(
                account: account, mailbox: group.destination.name, uidValidity: found.uidValidity,
                uid: found.uid)
            try ledger.settle {
                try $0.confirm(
                    aimed.step, proof: Step.Proof(.alreadyIn, group.destination.displayName), movedTo: key,
                    remoteName: found.remoteName, wasDone: !wasSent && aimed.step.attempts == 0)
            }
        case .ambiguous where aimed.step.attempts == 0:
            // The first attempt, and several messages match: one of them is the message, its place is unknown.
            try ledger.settle {
                try $0.confirm(
                    aimed.step, proof: Step.Proof(.alreadyIn, group.destination.displayName),
                    wasDone: !wasSent)
            }
        case .ambiguous: try askWhich(aimed, group, &ledger)
        case .notApplied, .elsewhere:
            let place = try await whereabouts(of: aimed, group)
            try ledger.settle {
                try $0.reject(
                    aimed.step,
                    because: "no longer in \(group.mailbox): another program moved "
                        + (place.map { "it to \($0)" } ?? "or removed it"))
            }
        }
    }

    func askWhich(
        _ aimed: Aimed, _ group: MoveGroup, _ ledger: inout Ledger
    ) throws(SinkError) {
        try ledger.settle {
            try $0.ask(
                about: aimed.step,
                because: "\(group.destination.displayName) has several messages like it: check there and in "
                    + "\(group.mailbox)")
        }
    }

    /// Searches for the message in the destination. If the search finds none, reads what arrived there: no search finds a
    /// message without Message-ID, and the index of a server may be late.
    ///
    /// `before`: the numbers of the destination before this drain requested the move; nil: it did not.
    func verdict(
        on aimed: Aimed, inSource: Bool, _ group: MoveGroup, before: MailboxNumbers?
    ) async throws(SinkError) -> MoveVerdict {
        let name = group.destination.name
        let leavesNoCopies = await sink.movesLeaveNoCopies
        let isScoped = !leavesNoCopies && (inSource || aimed.step.attempts > 0)
        // A step that an earlier version of opus issued may lack the numbers of that time; those of now are too high.
        let wasIssued = [.issued, .unknown, .reconciling].contains(aimed.step.state)
        let before = aimed.step.outcome.destinationNumbers ?? (wasIssued ? nil : before)
        let judge = { (found: [FoundMessage]) in
            MoveVerdict.judge(
                inSource: inSource, found: found,
                original: .init(header: aimed.header, received: aimed.received, size: aimed.size),
                firstNew: isScoped ? found.first.flatMap { before?.firstUID(under: $0.uidValidity) } : nil)
        }
        let verdict = judge(try await candidates(for: aimed, in: name))
        guard verdict == .notApplied || verdict == .elsewhere, !leavesNoCopies, let before,
            let numbers = try await sink.numbers(of: name)
        else { return verdict }
        // 0: the account did not report it.
        let size = aimed.size == 0 ? nil : aimed.size
        return judge(
            try await sink.arrivals(from: before.firstUID(under: numbers.uidValidity), size: size, in: name))
    }

    /// The copy that an earlier attempt proved, if it is still in its place; nil: there is none.
    func provenCopy(of aimed: Aimed) async throws(SinkError) -> FoundMessage? {
        guard let key = aimed.step.outcome.copied, try await sink.open(key.mailbox) == key.uidValidity,
            let seen = try await sink.look(at: [Target(uid: key.uid)], in: key.mailbox)[key.uid],
            !seen.isReadable || HeaderBlock.canonical(seen.header) == aimed.header
        else { return nil }
        return FoundMessage(uidValidity: key.uidValidity, uid: key.uid, header: seen.header, size: seen.size)
    }

    /// Candidates for the message: by the account's own id for it, otherwise by its Message-ID.
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

    /// The name of the trash, archive, junk mailbox or All Mail that has the message now; nil: none has it.
    private func whereabouts(of aimed: Aimed, _ group: MoveGroup) async throws(SinkError) -> String? {
        let mailboxes: [Mailbox]
        do {
            mailboxes = try store.sync.mailboxes(of: account)
        } catch {
            throw .lost("the store could not be read: \(error)")
        }
        for role in [MailboxRole.trash, .archive, .junk, .all] {
            for mailbox in mailboxes
            where mailbox.role == role && mailbox.name != group.destination.name
                && mailbox.name != group.mailbox
            {
                let found = try await candidates(for: aimed, in: mailbox.name)
                if found.contains(where: { HeaderBlock.canonical($0.header) == aimed.header }) {
                    return mailbox.displayName
                }
            }
        }
        return nil
    }
}

extension StepOutcome {
    /// The numbers of the destination before the step was issued; nil: it was not issued.
    fileprivate var destinationNumbers: MailboxNumbers? {
        destinationUIDNext.map { MailboxNumbers(uidValidity: destinationUIDValidity ?? 0, uidNext: $0) }
    }
}

extension MailboxNumbers {
    /// The first UID of the messages that arrived since, if the mailbox has this UIDVALIDITY now. After a change of
    /// UIDVALIDITY every message has a new UID, so any of them may have arrived.
    fileprivate func firstUID(under now: UInt32) -> UInt32 {
        uidValidity != 0 && now != uidValidity ? 1 : uidNext ?? 1
    }
}

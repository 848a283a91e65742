import MailStore
import Models

/// A move on a server without MOVE: copy, prove the copy, and then remove the original. Each part is noted in
/// the journal before the next one.
///
/// The trap: programs have lost mail by sending `\Deleted` and EXPUNGE after a failed COPY. opus removes only
/// messages with a proven copy.
struct CopyThenRemove: DrainPart {
    let context: DrainContext

    func move(
        _ issued: [Aimed], _ group: MoveGroup, _ ledger: inout Ledger
    ) async throws(SinkError) {
        // An earlier attempt marked them, and another program removed their copies: COPY would copy the mark.
        let marked = issued.filter { $0.step.outcome.copied != nil && $0.isMarkedDeleted }.map(\.target)
        if !marked.isEmpty {
            _ = try await sink.store(MarkChange(removeFlags: [.deleted]), on: marked, in: group.mailbox)
        }
        let places = try await sink.copy(issued.map(\.target), from: group.mailbox, to: group.destination)
        var copied: [(aimed: Aimed, place: NewPlace)] = []
        var noted: [(step: Step, outcome: StepOutcome)] = []
        for aimed in issued {
            guard let place = places[aimed.target.uid], let key = group.key(of: place, account) else {
                continue
            }
            copied.append((aimed, place))
            var outcome = StepOutcome()
            outcome.copied = key
            noted.append((aimed.step, outcome))
        }
        do {
            try ledger.note(noted)
        } catch {
            throw .lost("the journal could not be written: \(error)")
        }
        // OK without COPYUID proves nothing: the next attempt checks both mailboxes.
        try ledger.settle { ledger in
            for aimed in issued where places[aimed.target.uid] == nil {
                try ledger.loseTrack(of: aimed.step, because: "the server did not confirm the copy")
            }
        }
        guard !copied.isEmpty else { return }
        let targets = copied.map(\.aimed.target)
        let still: [UInt32: Sighting]
        let isCopied = Set(copied.compactMap(\.aimed.step.id))
        do throws(SinkError) {
            try await sink.remove(targets, from: group.mailbox)
            still = try await sink.look(at: targets, in: group.mailbox)
        } catch {
            switch error {
            // The copies exist: `refusedSome` would repeat the whole request and copy the messages again.
            case .refusedSome(let words): throw .refused(words)
            // If the rule requested it again, opus would copy the message again.
            case .unsupported:
                for aimed in issued where aimed.step.id.map(isCopied.contains) ?? false {
                    try askForRemoval(aimed, group, &ledger)
                }
                return
            case .refused, .busy, .lost: throw error
            }
        }
        try ledger.settle { ledger in
            for (aimed, place) in copied {
                if still[aimed.target.uid] == nil {
                    try ledger.confirm(
                        aimed.step, proof: .reported(place.evidence), movedTo: group.key(of: place, account),
                        remoteName: place.remoteName)
                } else {
                    try ledger.loseTrack(
                        of: aimed.step, because: "copied, but the server left it in \(group.mailbox)")
                }
            }
        }
    }

    /// The message is in both mailboxes. Removes the original if the journal has the proof of the copy, or if
    /// both have the same content; otherwise asks the user.
    func finish(
        _ aimed: Aimed, _ copy: FoundMessage, _ group: MoveGroup, _ ledger: inout Ledger
    ) async throws(SinkError) {
        let destination = group.destination
        let key = MessageKey(
            account: account, mailbox: destination.name, uidValidity: copy.uidValidity, uid: copy.uid)
        if aimed.step.outcome.copied != key {
            let there = Target(uid: copy.uid, remoteName: copy.remoteName)
            let theirs = try await sink.digest(of: there, in: destination.name)
            let ours = try await sink.digest(of: aimed.target, in: group.mailbox)
            let isSame =
                if let ours, ours == theirs { true } else {
                    try await isSameContent(aimed.target, group.mailbox, there, destination.name)
                }
            guard ours != nil, isSame else {
                return try askForRemoval(aimed, group, &ledger)
            }
        }
        do throws(SinkError) {
            try await sink.remove([aimed.target], from: group.mailbox)
        } catch {
            guard case .unsupported = error else { throw error }
            return try askForRemoval(aimed, group, &ledger)
        }
        guard try await sink.look(at: [aimed.target], in: group.mailbox)[aimed.target.uid] == nil else {
            return try askForRemoval(aimed, group, &ledger)
        }
        try ledger.settle {
            try $0.confirm(
                aimed.step, proof: Step.Proof(.originalRemoved, "\(copy.uid)"), movedTo: key,
                remoteName: copy.remoteName)
        }
    }

    /// Compares without the fields that a server may have added to one of them.
    private func isSameContent(
        _ a: Target, _ first: MailboxName, _ b: Target, _ second: MailboxName
    ) async throws(SinkError) -> Bool {
        guard let ours = try await sink.contentDigest(of: a, in: first) else { return false }
        return ours == (try await sink.contentDigest(of: b, in: second))
    }

    private func askForRemoval(
        _ aimed: Aimed, _ group: MoveGroup, _ ledger: inout Ledger
    ) throws(SinkError) {
        try ledger.settle {
            try $0.ask(
                about: aimed.step,
                because:
                    "it is in \(group.mailbox) and in \(group.destination.displayName): remove one of them"
            )
        }
    }
}

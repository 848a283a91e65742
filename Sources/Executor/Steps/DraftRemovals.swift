import MailStore
import Models

/// Steps that remove a draft, or another message that opus put into a mailbox. opus removes only versions
/// with known bytes, and moves them to the trash if the account has one.
///
/// A version that another program saved under the same Message-ID has other bytes, so it stays.
struct DraftRemovals: DrainPart {
    let context: DrainContext

    func run(_ ledger: inout Ledger) async throws {
        for step in ledger.steps where !ledger.isHeld(step) {
            guard case .remove(let key, let token, let versions) = step.kind else { continue }
            do throws(SinkError) {
                try await remove(step, key, token, versions ?? DraftVersions(), &ledger)
            } catch {
                try ledger.fail([step], error)
            }
        }
    }

    private func remove(
        _ step: Step, _ key: MessageKey, _ token: MessageID, _ given: DraftVersions, _ ledger: inout Ledger
    ) async throws(SinkError) {
        let mailbox = key.mailbox
        let isDraft = try isDrafts(mailbox)
        // Other messages may have the Message-ID of a copied one.
        let isCopy = step.undoes != nil && !isDraft && !given.own.isEmpty
        let known = isCopy ? given : try withAppended(given, token)
        let found = try await DraftLook(sink: sink, mailbox: mailbox).versions(tokens: [token], name: nil)
        let same = found.filter { version in version.digest.map(known.contains) ?? false }
        let ours = isDraft ? same : try exactly(one: key, of: same)
        guard !ours.isEmpty else {
            if found.isEmpty, try await confirmRemoved(step, token, known, from: mailbox, &ledger) { return }
            return try ledger.settle { ledger in
                if found.isEmpty {
                    try ledger.confirm(step, proof: Step.Proof(.gone), wasDone: true)
                } else if step.undoes != nil {
                    try ledger.reject(step, because: "the draft was changed since, so it stays in \(mailbox)")
                } else {
                    try ledger.confirmLeavingPlace(
                        step, proof: Step.Proof(.savedAgain, "\(mailbox)"),
                        wasDone: true)
                }
            }
        }
        let isAtItsPlace = try stands(at: key, ours)
        try issueNow(step, &ledger)
        var traces: [String] = []
        var outcome = StepOutcome()
        for version in ours {
            let isOwn = version.digest.map(known.own.contains) ?? false
            let trash = try trash(of: mailbox) ?? (isOwn ? nil : known.trash)
            if isOwn, step.cause == .deferredList, await !sink.movesLeaveNoCopies,
                try await removeForGood(version.target, from: mailbox)
            {
                traces.append("removed \(version.target.remoteName ?? "UID \(version.target.uid)")")
                continue
            }
            guard isOwn || trash != nil else {
                throw .unsupported(
                    "another program wrote this version, and the account has no trash, so it stays")
            }
            if let trash {
                let place = try await unlessGone(version.target, mailbox) { () async throws(SinkError) in
                    try await moveToTrash(version.target, from: mailbox, trash)
                }
                traces.append("moved to \(trash.displayName)" + (place.map { ", " + $0.evidence } ?? ""))
                outcome.place = place.flatMap { place in
                    place.uidValidity.map {
                        MessageKey(account: account, mailbox: trash.name, uidValidity: $0, uid: place.uid)
                    }
                }
                outcome.remoteName = place?.remoteName
            } else {
                _ = try await unlessGone(version.target, mailbox) { () async throws(SinkError) -> NewPlace? in
                    try await sink.remove([version.target], from: mailbox)
                    return nil
                }
                traces.append("removed \(version.target.remoteName ?? "UID \(version.target.uid)")")
            }
        }
        guard try await sink.look(at: ours.map(\.target), in: mailbox).isEmpty else {
            return try ledger.settle { try $0.postpone(step, because: "the server left it in \(mailbox)") }
        }
        let proof = Step.Proof.reported(traces.joined(separator: "; "))
        try ledger.settle { ledger in
            if isAtItsPlace {
                try ledger.confirm(step, proof: proof, outcome: outcome)
            } else {
                try ledger.confirmLeavingPlace(step, proof: proof, outcome: outcome)
            }
        }
    }

    /// The answer to an earlier attempt was lost, and the mailbox has no version: opus itself removed it. Its place in the
    /// trash is noted, so that an undo brings it back.
    ///
    /// - Returns: false if nothing was attempted before: another program removed it.
    private func confirmRemoved(
        _ step: Step, _ token: MessageID, _ known: DraftVersions, from mailbox: MailboxName,
        _ ledger: inout Ledger
    ) async throws(SinkError) -> Bool {
        guard step.state == .reconciling else { return false }
        var outcome = StepOutcome()
        var trace = "no longer in \(mailbox)"
        if let trash = try trash(of: mailbox) ?? known.trash, try await sink.numbers(of: trash.name) != nil {
            let there = try await DraftLook(sink: sink, mailbox: trash.name).versions(
                tokens: [token], name: nil)
            if let version = there.last(where: { $0.digest.map(known.contains) ?? false }) {
                outcome.place = MessageKey(
                    account: account, mailbox: trash.name, uidValidity: version.uidValidity,
                    uid: version.target.uid)
                outcome.remoteName = version.target.remoteName
                trace = "in \(trash.displayName)"
            }
        }
        let proof = Step.Proof.reported(trace)
        try ledger.settle { try $0.confirm(step, proof: proof, outcome: outcome) }
        return true
    }

    /// A list of deferred messages is not moved to the trash if the server can remove a single message. On
    /// Gmail it is, because a message that is removed from a label stays in All Mail.
    private func removeForGood(
        _ target: Target, from mailbox: MailboxName
    ) async throws(SinkError) -> Bool {
        do throws(SinkError) {
            _ = try await unlessGone(target, mailbox) { () async throws(SinkError) -> NewPlace? in
                try await sink.remove([target], from: mailbox)
                return nil
            }
            return true
        } catch {
            guard case .unsupported = error else { throw error }
            return false
        }
    }

    /// Of several equal messages, only one is removed: the one at the place of the step, otherwise the last. The
    /// mailbox may contain the same message twice.
    private func exactly(
        one key: MessageKey, of versions: [DraftLook.Version]
    ) throws(SinkError) -> [DraftLook.Version] {
        guard versions.count > 1 else { return versions }
        for version in versions where try stands(at: key, [version]) { return [version] }
        return Array(versions.suffix(1))
    }

    private func isDrafts(_ name: MailboxName) throws(SinkError) -> Bool {
        do {
            return try store.sync.mailboxes(of: account).first { $0.name == name }?.role == .drafts
        } catch {
            throw .lost("the store could not be read: \(error)")
        }
    }

    /// Whether one of the versions is the message that the store has at that place.
    private func stands(
        at key: MessageKey, _ versions: [DraftLook.Version]
    ) throws(SinkError) -> Bool {
        let name: String?
        do {
            name = try store.sync.placements(of: account, mailbox: key.mailbox).first { $0.uid == key.uid }?
                .remoteName
        } catch {
            throw .lost("the store could not be read: \(error)")
        }
        return versions.contains { version in
            if let remoteName = version.target.remoteName { return remoteName == name }
            return version.target.uid == key.uid && version.uidValidity == key.uidValidity
        }
    }

    /// Versions that opus appended under the Message-ID, according to the journal, also belong to opus.
    private func withAppended(
        _ versions: DraftVersions, _ token: MessageID
    ) throws(SinkError) -> DraftVersions {
        var known = versions
        do {
            for step in try store.drafts.appends(of: token, account: account) {
                guard case .append(to: _, let message, flags: _, token: _) = step.kind else { continue }
                known.addOwn(step.outcome.digest ?? MessageDigest.of(message))
            }
        } catch {
            throw .lost("the store could not be read: \(error)")
        }
        return known
    }

    private func trash(of mailbox: MailboxName) throws(SinkError) -> Mailbox? {
        do {
            return try store.sync.mailboxes(of: account).first { $0.role == .trash && $0.name != mailbox }
        } catch {
            throw .lost("the store could not be read: \(error)")
        }
    }

    /// Moves one draft to the trash; by a proven copy if the account cannot move.
    ///
    /// - Returns: its new place, if the account reported it.
    private func moveToTrash(
        _ target: Target, from mailbox: MailboxName, _ trash: Mailbox
    ) async throws(SinkError) -> NewPlace? {
        if try await sink.numbers(of: trash.name) == nil { try await sink.create(trash) }
        switch try await sink.wayToMove(from: mailbox, to: trash.name) {
        case .atOnce:
            return try await sink.move([target], from: mailbox, to: trash)[target.uid]
        case .copyThenRemove:
            guard let place = try await sink.copy([target], from: mailbox, to: trash)[target.uid] else {
                throw .refused("the server did not confirm the copy in \(trash.displayName)")
            }
            try await sink.remove([target], from: mailbox)
            return place
        }
    }

    /// A refusal because the draft was removed meanwhile is not an error: the current content of the mailbox
    /// decides.
    private func unlessGone(
        _ target: Target, _ mailbox: MailboxName, _ change: () async throws(SinkError) -> NewPlace?
    ) async throws(SinkError) -> NewPlace? {
        do throws(SinkError) {
            return try await change()
        } catch {
            guard case .refusedSome(let words) = error else { throw error }
            guard try await sink.look(at: [target], in: mailbox)[target.uid] == nil else {
                throw .refused(words)
            }
            return nil
        }
    }

    private func issueNow(_ step: Step, _ ledger: inout Ledger) throws(SinkError) {
        do {
            try ledger.issue([step])
        } catch {
            throw .lost("the journal could not be written: \(error)")
        }
    }
}

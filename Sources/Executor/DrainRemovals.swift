import MailStore
import Models

/// Steps that remove a draft of our own: exactly that message, after its header was read again.
extension Drain {
    func runRemovals(_ steps: [Step], _ ledger: inout Ledger) async throws {
        for step in steps where !ledger.isHeld(step) {
            guard case .remove(let key, let token) = step.kind else { continue }
            do throws(SinkError) {
                try await remove(step, key, token, &ledger)
            } catch {
                try await failed([step], error, &ledger)
            }
        }
    }

    private func remove(
        _ step: Step, _ key: MessageKey, _ token: MessageID, _ ledger: inout Ledger
    ) async throws(SinkError) {
        guard let target = try await target(key, token, step, &ledger) else { return }
        try issueNow(step, &ledger)
        do throws(SinkError) {
            try await sink.remove([target], from: key.mailbox)
        } catch {
            switch error {
            case .unsupported: return try await discard(step, target, from: key.mailbox, &ledger)
            // It may have gone meanwhile: what is there now decides.
            case .refusedSome(let words):
                guard try await sink.look(at: [target], in: key.mailbox)[target.uid] == nil else {
                    throw .refused(words)
                }
            case .refused, .busy, .lost: throw error
            }
        }
        guard try await sink.look(at: [target], in: key.mailbox)[target.uid] == nil else {
            return try settle(&ledger) {
                try $0.postpone(step, because: "the server left it in \(key.mailbox)")
            }
        }
        try settle(&ledger) { try $0.confirm(step, evidence: "removed UID \(target.uid)") }
    }

    /// The draft where it stands now, by its Message-ID; nil: the step is settled.
    private func target(
        _ key: MessageKey, _ token: MessageID, _ step: Step, _ ledger: inout Ledger
    ) async throws(SinkError) -> Target? {
        let gone = "it was gone already"
        guard let uidValidity = try await sink.open(key.mailbox) else {
            try settle(&ledger) { try $0.confirm(step, evidence: gone, wasSo: true) }
            return nil
        }
        if key.uid > 0, key.uidValidity == uidValidity, step.outcome.remoteName == nil {
            let target = Target(uid: key.uid, remoteName: try remoteName(of: key))
            if let sighting = try await sink.look(at: [target], in: key.mailbox)[key.uid] {
                let there = FoundMessage(uidValidity: uidValidity, uid: key.uid, header: sighting.header)
                if there.messageID == token { return target }
                try settle(&ledger) { try $0.reject(step, because: "another message stands in its place") }
                return nil
            }
        }
        let found = try await sink.find(token, in: key.mailbox).filter { $0.messageID == token }
        guard let one = found.first, found.count == 1 else {
            try settle(&ledger) { ledger in
                if found.isEmpty {
                    try ledger.confirm(step, evidence: gone)
                } else {
                    try ledger.ask(
                        about: step, because: "\(found.count) messages in \(key.mailbox) have its Message-ID")
                }
            }
            return nil
        }
        return Target(uid: one.uid, remoteName: one.remoteName)
    }

    /// The file of a Maildir that the store has under that UID.
    private func remoteName(of key: MessageKey) throws(SinkError) -> String? {
        do {
            return try store.placements(of: account, mailbox: key.mailbox).first { $0.uid == key.uid }?
                .remoteName
        } catch {
            throw .lost("the store could not be read: \(error)")
        }
    }

    private func issueNow(_ step: Step, _ ledger: inout Ledger) throws(SinkError) {
        do {
            try ledger.issue([step])
        } catch {
            throw .lost("the journal could not be written: \(error)")
        }
    }

    /// Where nothing less than a whole mailbox could be expunged, the draft goes to the trash.
    private func discard(
        _ step: Step, _ target: Target, from mailbox: MailboxName, _ ledger: inout Ledger
    ) async throws(SinkError) {
        let trash: Mailbox?
        do {
            trash = try store.mailboxes(of: account).first { $0.role == .trash }
        } catch {
            throw .lost("the store could not be read: \(error)")
        }
        guard let trash, try await sink.wayToMove(from: mailbox, to: trash.name) == .atOnce else {
            throw .unsupported(
                "the server cannot remove one message alone, and there is no trash to move it to")
        }
        _ = try await sink.move([target], from: mailbox, to: trash)
        try settle(&ledger) { try $0.confirm(step, evidence: "moved to \(trash.displayName)") }
    }
}

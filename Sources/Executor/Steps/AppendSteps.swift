import MailStore
import Models

/// Steps that put a message into a mailbox: a draft, the copy of a sent mail in Sent, or a copy of a message.
struct AppendSteps: DrainPart {
    let context: DrainContext

    func append(
        _ step: Step, _ message: [UInt8], to mailbox: Mailbox, flags: Set<Flag>, token: MessageID,
        _ ledger: inout Ledger
    ) async throws {
        // After an earlier attempt, opus searches first, even if the server saves sent mail: the copy may be
        // from opus.
        let isFirst = step.state != .reconciling && step.attempts == 0
        let isSent = mailbox.role == .sent
        // Another machine may have made the draft of a rule, under the same Message-ID, or sent its mail.
        let isNamedByRule = mailbox.role == .drafts && step.cause.rule != nil
        let wasThere = isFirst && (isNamedByRule || ledger.sentBefore.contains(token))
        let isKept = isSent ? await sink.keepsSentCopies : false
        if isFirst, isKept, !wasThere { return try ledger.confirm(step, proof: Step.Proof(.keptByServer)) }
        if isSent, wasThere, step.cause.rule == nil, let copy = try knownCopy(of: message, token) {
            return try ledger.confirm(
                step, proof: Step.Proof(.found, copy.words), outcome: copy.outcome, wasDone: true)
        }
        let keeper =
            isSent ? try store.accounts.sentCopyKeeper(of: account, route: context.route) : .us
        do throws(SinkError) {
            if try await sink.open(mailbox.name) == nil { try await create(mailbox) }
            if mailbox.isForCopies,
                let there = try await copy(
                    of: message, token, in: mailbox,
                    looks: step.state == .reconciling ? Backoff.settling : [.zero])
            {
                return try ledger.settle {
                    // The outcome has no digest, because undo must not remove a message that opus did not put
                    // there.
                    try $0.confirm(
                        step, proof: Step.Proof(.found, there.remoteName ?? "UID \(there.uid)"),
                        outcome: isFirst ? StepOutcome() : StepOutcome().noting(message, in: mailbox),
                        wasDone: isFirst)
                }
            }
            let looks =
                mailbox.isForCopies
                ? []
                : step.state == .reconciling
                    ? Backoff.settling
                    : !isFirst
                        ? [.zero]
                        : isSent ? Backoff.sentCopyLooks(keeper) : isNamedByRule ? [.zero] : []
            if let found = try await find(token, in: mailbox.name, looks: looks) {
                return try ledger.settle {
                    if isFirst, !wasThere, try !isStored(token, in: mailbox) {
                        try store.accounts.remember(.server, of: account, route: context.route)
                    }
                    let outcome = found.outcome(in: mailbox.name, of: account)
                    try $0.confirm(
                        step, proof: Step.Proof(.found, found.place),
                        outcome: wasThere ? outcome : outcome.noting(message, in: mailbox),
                        wasDone: wasThere)
                }
            }
        } catch {
            return try ledger.fail([step], error)
        }
        try ledger.issue([step])
        do throws(SinkError) {
            let place = try await sink.append(
                message, to: mailbox.name, flags: flags, token: token, at: now)
            var outcome = StepOutcome()
            outcome.place = place.uidValidity.map {
                MessageKey(account: account, mailbox: mailbox.name, uidValidity: $0, uid: place.uid)
            }
            outcome.remoteName = place.remoteName
            outcome = outcome.noting(message, in: mailbox)
            try ledger.settle {
                // A server that saved sent mail may have stopped.
                if !isKept, keeper != .us {
                    try store.accounts.remember(.us, of: account, route: context.route)
                }
                try $0.confirm(step, proof: .reported(place.evidence), outcome: outcome)
            }
        } catch {
            try ledger.fail([step], error)
        }
    }

    /// Whether a sync already found the message there. If so, it was there before this mail was sent: it is of an
    /// earlier mail with the same Message-ID, and does not show that the server saves sent mail.
    private func isStored(_ token: MessageID, in mailbox: Mailbox) throws -> Bool {
        try store.messages.messages(with: token, account: account).contains { message in
            try store.messages.places(of: message).contains { $0.mailbox.name == mailbox.name }
        }
    }

    /// The same bytes under the same Message-ID, from any program.
    private func copy(
        of message: [UInt8], _ token: MessageID, in mailbox: Mailbox, looks: [Duration]
    ) async throws(SinkError) -> Target? {
        let digest = MessageDigest.of(message)
        for wait in looks {
            try await pause(wait)
            let found = try await DraftLook(sink: sink, mailbox: mailbox.name).versions(
                tokens: [token], name: nil)
            if let same = found.first(where: { $0.digest == digest }) { return same.target }
        }
        return nil
    }

    private func pause(_ wait: Duration) async throws(SinkError) {
        guard wait > .zero else { return }
        do { try await context.pause(wait) } catch { throw .lost("interrupted") }
    }

    /// Searches once after each delay, until the message is found.
    private func find(
        _ token: MessageID, in mailbox: MailboxName, looks: [Duration]
    ) async throws(SinkError) -> FoundMessage? {
        for wait in looks {
            try await pause(wait)
            if let found = try await sink.find(token, in: mailbox).first(where: { $0.messageID == token }) {
                return found
            }
        }
        return nil
    }
}

extension StepOutcome {
    /// The outcome with the digest of the draft or copy: undo removes only these bytes.
    fileprivate func noting(_ message: [UInt8], in mailbox: Mailbox) -> StepOutcome {
        guard mailbox.role != .sent else { return self }
        var outcome = self
        outcome.digest = MessageDigest.of(message)
        return outcome
    }
}

extension Mailbox {
    /// Whether an append to this mailbox is a copy of a message, and not a draft or a sent mail.
    fileprivate var isForCopies: Bool { role != .drafts && role != .sent }
}

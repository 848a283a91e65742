import MIMEParser
import MailStore
import Models

/// Steps that make a message: a draft, a copy in Sent, and the submission itself.
extension Drain {
    func runMessageSteps(_ steps: [Step], _ ledger: inout Ledger) async throws {
        for step in steps where !ledger.isHeld(step) {
            switch step.kind {
            case .append(let mailbox, let message, let flags, let token):
                try await append(step, message, to: mailbox, flags: flags, token: token, &ledger)
            case .submit(let reversePath, let forwardPaths, let message, let token):
                let mail = Outgoing(
                    message: message, reversePath: reversePath, forwardPaths: forwardPaths, token: token)
                try await submit(step, mail, &ledger)
            case .createTodo, .updateTodo, .removeTodo, .restoreTodo, .store, .move, .remove, .wait,
                .saveFile, .removeFile:
                continue
            }
        }
    }

    private func append(
        _ step: Step, _ message: [UInt8], to mailbox: Mailbox, flags: Set<Flag>, token: MessageID,
        _ ledger: inout Ledger
    ) async throws {
        // A step that was tried before is looked for whoever files sent mail: the copy may be ours.
        let isFirst = step.state != .reconciling && step.attempts == 0
        let keeper = mailbox.role == .sent ? try await sentCopyKeeper() : .us
        if isFirst, keeper == .server { return try ledger.confirm(step, evidence: "kept by the server") }
        do throws(SinkError) {
            if try await sink.open(mailbox.name) == nil { try await sink.create(mailbox) }
            let looks =
                step.state == .reconciling
                ? Backoff.settling
                : !isFirst
                    ? [.zero] : mailbox.role == .sent ? Backoff.sentCopyLooks(known: keeper != nil) : []
            if let found = try await find(token, in: mailbox.name, looks: looks) {
                return try settle(&ledger) {
                    if isFirst { try store.remember(.server, of: account, route: route) }
                    try $0.confirm(
                        step, evidence: "found as \(found.place)",
                        outcome: outcome(found, in: mailbox.name).noting(message, in: mailbox))
                }
            }
        } catch {
            return try await failed([step], error, &ledger)
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
            try settle(&ledger) {
                if keeper == nil { try store.remember(.us, of: account, route: route) }
                try $0.confirm(step, evidence: place.evidence, outcome: outcome)
            }
        } catch {
            try await failed([step], error, &ledger)
        }
    }

    /// Who files sent mail; nil: not found out yet for these servers.
    private func sentCopyKeeper() async throws -> SentCopyKeeper? {
        if await sink.keepsSentCopies { return .server }
        return try store.sentCopyKeeper(of: account, route: route)
    }

    /// Looks once for each wait, until it is there.
    private func find(
        _ token: MessageID, in mailbox: MailboxName, looks: [Duration]
    ) async throws(SinkError) -> FoundMessage? {
        for wait in looks {
            if wait > .zero {
                do { try await pause(wait) } catch { throw .lost("interrupted") }
            }
            if let found = try await sink.find(token, in: mailbox).first(where: { $0.messageID == token }) {
                return found
            }
        }
        return nil
    }

    func outcome(_ found: FoundMessage, in mailbox: MailboxName) -> StepOutcome {
        var outcome = StepOutcome()
        outcome.place = MessageKey(
            account: account, mailbox: mailbox, uidValidity: found.uidValidity, uid: found.uid)
        outcome.remoteName = found.remoteName
        return outcome
    }

    /// What a refusal or a lost connection means for steps that were issued, or were about to be.
    func failed(_ steps: [Step], _ error: SinkError, _ ledger: inout Ledger) async throws {
        try ledger.together { ledger in
            for step in steps {
                switch error {
                case .refused(let words), .refusedSome(let words): try ledger.postpone(step, because: words)
                case .busy(let words): try ledger.wait(step, because: words, until: Backoff.afterBusy(now))
                case .unsupported(let words): try ledger.reject(step, because: words)
                case .lost(let reason): try ledger.loseTrack(of: step, because: reason)
                }
            }
        }
        if case .lost(let reason) = error { throw Interruption(reason: reason) }
    }

    /// Records inside a typed-throws body, all at once; a store that fails is reported as lost, and found out later.
    func settle(
        _ ledger: inout Ledger, _ body: (inout Ledger) throws -> Void
    ) throws(SinkError) {
        do {
            try ledger.together(body)
        } catch {
            throw .lost("the journal could not be written: \(error)")
        }
    }
}

extension StepOutcome {
    /// With the digest of a draft's bytes: only these bytes are ever removed again.
    fileprivate func noting(_ message: [UInt8], in mailbox: Mailbox) -> StepOutcome {
        guard mailbox.role == .drafts else { return self }
        var outcome = self
        outcome.digest = MessageDigest.of(message)
        return outcome
    }
}

extension FoundMessage {
    /// How people find it.
    var place: String { remoteName ?? "UID \(uid)" }

    /// Servers search for a part of the field: only the whole of it counts.
    var messageID: MessageID? { MIMEParser.parse(header).envelope.messageID }
}

import MIMEParser
import MailStore
import Models

/// Steps that send mail. Before the final dot, opus may try again. After it, opus never sends the mail again
/// by itself.
///
/// The trap: if no reply to the dot arrives, opus does not know whether the server accepted the mail. Once
/// the journal has noted the dot, only a proof, the server's refusal or the user's answer ends the step;
/// otherwise opus asks the user.
struct SubmissionSteps: DrainPart {
    let context: DrainContext

    func submit(_ step: Step, _ mail: OutgoingMail, _ ledger: inout Ledger) async throws {
        if step.proof?.kind == .dotSent {
            let lost = "the answer to the final dot was lost"
            return try await reconcile(step, mail, issuedAt: step.issuedAt, because: lost, &ledger)
        }
        // The process was killed before the dot, so the server had to discard the mail. But the user may have
        // stopped it on purpose, so opus asks before it sends the mail.
        guard step.state != .reconciling else {
            return try ledger.holdAfterCrash(step)
        }
        // Asked once: if the user then wants it sent, it is sent.
        if step.outcome.place == nil, let found = try context.sentElsewhere(step) {
            var outcome = StepOutcome()
            outcome.place = found.place
            return try ledger.ask(about: step, because: found.words, outcome: outcome)
        }
        guard let submitter = context.submitter else {
            return try ledger.wait(
                step, because: "account \(account) cannot send: it has neither smtp nor sendmail")
        }
        if let reason = ledger.noMoreSubmissions { return try ledger.wait(step, because: reason) }
        if let reason = ledger.unreachableServer {
            try ledger.issue([step])
            return try postponeUnreachable(step, because: reason, &ledger)
        }
        if try await confirmSentAlready(step, mail, &ledger) { return }
        try ledger.issue([step])
        let (store, id) = (store, step.id)
        let reply: String
        do throws(SubmissionError) {
            reply = try await submitter.submit(
                mail.message, reversePath: mail.reversePath, forwardPaths: mail.forwardPaths,
                token: mail.token
            ) {
                if let id {
                    try store.journal.resolve([
                        StepResult(id: id, state: .issued, proof: Step.Proof(.dotSent))
                    ])
                }
            } accepted: { reply in
                if let id {
                    try store.journal.resolve([StepResult(id: id, state: .confirmed, proof: .reported(reply))]
                    )
                }
            }
        } catch {
            switch error {
            case .notSent(let reason): try ledger.postpone(step, because: reason, proof: Step.Proof(.notSent))
            case .unreachable(let reason):
                ledger.unreachableServer = reason
                try postponeUnreachable(step, because: reason, &ledger)
            case .loginRefused(let reason):
                ledger.refuseSending(because: reason)
                try ledger.wait(step, because: reason)
            case .rejected(let reason): try ledger.reject(step, because: reason)
            case .recipientsRefused(let words, let reason):
                var outcome = StepOutcome()
                outcome.recipients = words
                try ledger.reject(step, because: reason, outcome: outcome)
            case .unknown(let reason):
                try await reconcile(step, mail, issuedAt: now, because: reason, &ledger)
            }
            return
        }
        // The reply is in the journal. Later write errors are failures of the disk, and do not make the
        // result of the mail uncertain.
        try ledger.confirm(step, proof: .reported(reply))
    }

    private func postponeUnreachable(_ step: Step, because reason: String, _ ledger: inout Ledger) throws {
        try ledger.postpone(step, because: reason, proof: Step.Proof(.notSent), isUnreachable: true)
    }

    /// Another machine may have sent the mail of a rule since the last sync, under the same Message-ID: then it is not sent
    /// again. A mail that this store has sent is sent again only if the user wants that.
    ///
    /// A store that was restored from a backup does not know what it sent later. So a mail of the user that is some minutes
    /// old is also looked for: in what the last sync found, because its copy may have left Sent, and in Sent. If the user
    /// sends a mail again, it has a new Date.
    ///
    /// - Returns: Whether the step is finished, or waits because the account cannot be searched.
    private func confirmSentAlready(
        _ step: Step, _ mail: OutgoingMail, _ ledger: inout Ledger
    ) async throws -> Bool {
        let isOfRule = step.cause.rule != nil
        let date = Self.date(of: mail.message)
        guard isOfRule || date.map({ now - $0 > Self.recently }) ?? false,
            try store.runs.departure(of: mail.token, account: account) == nil
        else { return false }
        if !isOfRule, let copy = try knownCopy(of: mail.message, mail.token) {
            ledger.sentBefore.insert(mail.token)
            try ledger.settle {
                try $0.confirm(
                    step, proof: Step.Proof(.foundCopy, copy.words), outcome: copy.outcome, wasDone: true)
            }
            return true
        }
        guard let mailbox = try store.sync.mailboxes(of: account).first(where: { $0.role == .sent })
        else { return false }
        do throws(SinkError) {
            let copy = try await sink.find(mail.token, in: mailbox.name).first {
                $0.messageID == mail.token && (isOfRule || HeaderBlock.envelope(of: $0.header).date == date)
            }
            guard let copy else { return false }
            ledger.sentBefore.insert(mail.token)
            try ledger.settle {
                try $0.confirm(
                    step, proof: Step.Proof(.foundCopy, "\(mailbox.displayName) as \(copy.place)"),
                    outcome: copy.outcome(in: mailbox.name, of: account), wasDone: true)
            }
        } catch {
            switch error {
            case .refused, .refusedSome, .busy, .unsupported: return false
            case .lost: try ledger.fail([step], error)
            }
        }
        return true
    }

    /// Seconds in which a mail is sent as soon as it is written.
    private static let recently: Int64 = 120

    /// The reply to the dot was lost: only a copy in Sent can prove the submission. opus does not send the mail
    /// again.
    private func reconcile(
        _ step: Step, _ mail: OutgoingMail, issuedAt: Timestamp?, because reason: String,
        _ ledger: inout Ledger
    ) async throws {
        let question = "\(reason); it may or may not have been sent"
        let waited = Backoff.waited(since: issuedAt ?? now, now: now)
        do throws(SinkError) {
            for mailbox in try sentMailboxes() {
                guard let found = try await copy(of: mail, in: mailbox.name) else { continue }
                return try ledger.settle {
                    try $0.confirm(
                        step, proof: Step.Proof(.foundCopy, "\(mailbox.displayName) as \(found.place)"),
                        outcome: found.outcome(in: mailbox.name, of: account))
                }
            }
        } catch {
            switch error {
            case .refused(let words), .refusedSome(let words), .busy(let words):
                // A refused search does not mean that there is no copy.
                guard waited >= Backoff.searchPatience else {
                    return try ledger.loseTrack(of: step, because: "\(question): \(words)")
                }
            case .unsupported: break
            case .lost(let lost):
                try ledger.loseTrack(of: step, because: "\(question): \(lost)")
                throw Interruption(reason: lost)
            }
        }
        guard waited >= Backoff.sentCopyPatience else {
            return try ledger.loseTrack(of: step, because: question)
        }
        try ledger.ask(about: step, because: question)
    }

    /// The mailboxes in which a server saves sent mail.
    private func sentMailboxes() throws(SinkError) -> [Mailbox] {
        do {
            let mailboxes = try store.sync.mailboxes(of: account)
            return [MailboxRole.sent, .all].flatMap { role in mailboxes.filter { $0.role == role } }
        } catch {
            throw .lost("the store could not be read: \(error)")
        }
    }

    /// Header fields that keep the original Message-ID if a provider replaces it, and the field of opus if
    /// the mail has it.
    private static let originalFields = [
        "Message-ID", "X-Google-Original-Message-ID", "X-Microsoft-Original-Message-ID",
    ]
    private static let actionField = "X-Opus-Action"

    private func copy(of mail: OutgoingMail, in mailbox: MailboxName) async throws(SinkError) -> FoundMessage?
    {
        var marks = Self.originalFields.map { ($0, mail.token.rawValue) }
        let header = HeaderBlock.fields(of: MIMEParser.parse(mail.message).headerBlock)
        if let action = header.first(where: { $0.name.lowercased() == Self.actionField.lowercased() }) {
            marks.append((Self.actionField, action.body.trimmed))
        }
        for (field, value) in marks where !value.isEmpty {
            let found = try await sink.find(field, value, in: mailbox)
            if let copy = found.first(where: { $0.says(field, value) }) { return copy }
        }
        return nil
    }
}

extension FoundMessage {
    /// Compares the whole value, with or without angle brackets, because servers match parts of it.
    fileprivate func says(_ field: String, _ value: String) -> Bool {
        HeaderBlock.fields(of: header).contains {
            $0.name.lowercased() == field.lowercased()
                && [value, "<\(value)>"].contains($0.body.trimmed)
        }
    }
}

extension String {
    fileprivate var trimmed: String {
        let isBlank = { (character: Character) in character.isWhitespace }
        return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }
}

import MIMEParser
import MailStore
import Models

/// Sending: at most once after the final dot, at least once before it.
///
/// The trap: silence after the dot does not tell whether the server took the mail. Once the journal has noted the dot, only
/// a proof, the server's refusal, or the user's answer ends the step; everything else asks the user.
struct SubmissionSteps: DrainPart {
    let context: DrainContext

    func submit(_ step: Step, _ mail: OutgoingMail, _ ledger: inout Ledger) async throws {
        if step.proof?.kind == .dotSent {
            let lost = "the answer to the final dot was lost"
            return try await reconcile(step, mail, issuedAt: step.issuedAt, because: lost, &ledger)
        }
        // Killed before the dot: the server had to drop it, but what a person stopped is not started again.
        guard step.state != .reconciling else {
            return try ledger.holdAfterCrash(step)
        }
        guard let submitter = context.submitter else {
            return try ledger.wait(step, because: "account \(account) has neither smtp: nor sendmail:")
        }
        if let reason = ledger.noMoreSubmissions { return try ledger.wait(step, because: reason) }
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
                ledger.noMoreSubmissions = reason
                try ledger.postpone(step, because: reason, proof: Step.Proof(.notSent))
            case .loginRefused(let reason):
                try ledger.wait(step, because: reason)
                throw Interruption(reason: reason, halt: .loginRefused)
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
        // The journal has the reply. What cannot be written from here on is the disk's fault, not a doubt about the mail.
        try ledger.confirm(step, proof: .reported(reply))
    }

    /// The answer to the dot was lost: only a copy in Sent can tell. Whatever comes of it, it is not sent again.
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
                // Not to be searched is not the same as not to be there.
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

    /// Where a server files what it sends.
    private func sentMailboxes() throws(SinkError) -> [Mailbox] {
        do {
            let mailboxes = try store.sync.mailboxes(of: account)
            return [MailboxRole.sent, .all].flatMap { role in mailboxes.filter { $0.role == role } }
        } catch {
            throw .lost("the store could not be read: \(error)")
        }
    }

    /// The fields that keep our Message-ID where a provider writes one of its own, and our own mark where the mail has it.
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
    /// The whole value, with or without angle brackets: servers search for a part of it.
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

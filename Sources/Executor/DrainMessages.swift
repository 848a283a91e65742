import MailStore
import Models

/// Steps that make a message: a draft, a copy in Sent, and the submission itself.
extension Drain {
    /// The journal's note that nothing but the answer to the final dot is missing.
    static let dotSent = "final dot sent"
    /// What takes that note back.
    private static let notSent = "not sent"

    func runMessageSteps(_ steps: [Step], _ ledger: inout Ledger) async throws {
        for step in steps where !ledger.isHeld(step) {
            switch step.kind {
            case .append(let mailbox, let message, let flags, let token):
                try await append(step, message, to: mailbox, flags: flags, token: token, &ledger)
            case .submit(let reversePath, let forwardPaths, let message, let token):
                let mail = Outgoing(
                    message: message, reversePath: reversePath, forwardPaths: forwardPaths, token: token)
                try await submit(step, mail, &ledger)
            case .createTodo, .updateTodo, .removeTodo, .restoreTodo, .store, .move, .remove:
                continue
            }
        }
    }

    private struct Outgoing {
        let message: [UInt8]
        let reversePath: String
        let forwardPaths: [String]
        let token: MessageID
    }

    private func append(
        _ step: Step, _ message: [UInt8], to mailbox: Mailbox, flags: Set<Flag>, token: MessageID,
        _ ledger: inout Ledger
    ) async throws {
        do throws(SinkError) {
            if try await sink.open(mailbox.name) == nil { try await sink.create(mailbox) }
            // Some servers put a copy of what they send into Sent themselves.
            if step.state == .reconciling || step.attempts > 0 || mailbox.role == .sent,
                let found = try await sink.find(token, in: mailbox.name).first
            {
                return try await settled(step, "found as \(found.place)", &ledger)
            }
        } catch {
            return try await failed([step], error, &ledger)
        }
        if mailbox.role == .sent, await sink.keepsSentCopies {
            return try ledger.confirm(step, evidence: "kept by the server")
        }
        try ledger.issue([step])
        do throws(SinkError) {
            let evidence = try await sink.append(
                message, to: mailbox.name, flags: flags, token: token, at: now)
            return try await settled(step, evidence, &ledger)
        } catch {
            try await failed([step], error, &ledger)
        }
    }

    /// Records inside a typed-throws body; a store that fails is reported as lost, and found by the token later.
    private func settled(_ step: Step, _ evidence: String, _ ledger: inout Ledger) async throws(SinkError) {
        do {
            try ledger.confirm(step, evidence: evidence)
        } catch {
            throw .lost("the journal could not be written: \(error)")
        }
    }

    /// At most once after the final dot, at least once before it.
    private func submit(_ step: Step, _ mail: Outgoing, _ ledger: inout Ledger) async throws {
        if step.evidence == Self.dotSent {
            return try await reconcile(step, mail, because: "the answer to the final dot was lost", &ledger)
        }
        guard let submitter else {
            return try ledger.postpone(step, because: "account \(account) has no smtp: section")
        }
        try ledger.issue([step])
        let (store, id) = (store, step.id)
        do throws(SubmissionError) {
            let reply = try await submitter.submit(
                mail.message, reversePath: mail.reversePath, forwardPaths: mail.forwardPaths
            ) {
                if let id { try store.resolve([StepResult(id: id, state: .issued, evidence: Self.dotSent)]) }
            }
            do {
                try ledger.confirm(step, evidence: reply)
            } catch {
                throw .unknown("sent, but the journal could not be written: \(error)")
            }
        } catch {
            switch error {
            case .notSent(let reason): try ledger.postpone(step, because: reason, evidence: Self.notSent)
            case .rejected(let reason): try ledger.reject(step, because: reason)
            case .unknown(let reason): try await reconcile(step, mail, because: reason, &ledger)
            }
        }
    }

    /// The answer to the dot was lost: only a copy in Sent can tell. Whatever comes of it, it is not sent again.
    private func reconcile(
        _ step: Step, _ mail: Outgoing, because reason: String, _ ledger: inout Ledger
    ) async throws {
        let question = "\(reason); it may or may not have been sent"
        guard let sent = try store.mailboxes(of: account).first(where: { $0.role == .sent }) else {
            return try ledger.ask(about: step, because: question)
        }
        do throws(SinkError) {
            if let found = try await sink.find(mail.token, in: sent.name).first {
                return try await settled(step, "found in \(sent.displayName) as \(found.place)", &ledger)
            }
        } catch {
            switch error {
            case .refused(let words): return try ledger.loseTrack(of: step, because: words)
            case .unsupported: break
            case .lost(let reason):
                try ledger.loseTrack(of: step, because: reason)
                throw Interruption(reason: reason)
            }
        }
        try ledger.ask(about: step, because: question)
    }

    /// What a refusal or a lost connection means for steps that were issued.
    func failed(_ steps: [Step], _ error: SinkError, _ ledger: inout Ledger) async throws {
        switch error {
        case .refused(let words):
            for step in steps { try ledger.postpone(step, because: words) }
        case .unsupported(let words):
            for step in steps { try ledger.reject(step, because: words) }
        case .lost(let reason):
            for step in steps { try ledger.loseTrack(of: step, because: reason) }
            throw Interruption(reason: reason)
        }
    }
}

extension FoundMessage {
    /// How people find it.
    fileprivate var place: String { remoteName ?? "UID \(uid)" }
}

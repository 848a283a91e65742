import MailStore
import Models

/// Steps that create a mailbox and subscribe to it.
///
/// The trap: after a crash, opus cannot tell whether opus or the user created a mailbox. So the journal notes
/// that opus creates it before the request is sent.
struct MailboxSteps: DrainPart {
    let context: DrainContext

    func run(_ ledger: inout Ledger) async throws {
        for step in ledger.steps where !ledger.isHeld(step) {
            guard case .createMailbox(let mailbox) = step.kind else { continue }
            try await create(mailbox, step, &ledger)
        }
    }

    private func create(_ mailbox: Mailbox, _ step: Step, _ ledger: inout Ledger) async throws {
        let isOurs = step.outcome.path != nil
        do throws(SinkError) {
            if try await sink.open(mailbox.name) != nil {
                if isOurs { try await sink.subscribe(mailbox) }
                return try ledger.settle {
                    try $0.confirm(
                        step, proof: Step.Proof(isOurs ? .made : .unchanged, mailbox.displayName),
                        outcome: step.outcome, wasDone: !isOurs)
                }
            }
        } catch {
            return try ledger.fail([step], error)
        }
        var outcome = StepOutcome()
        outcome.path = mailbox.displayName
        try ledger.issue([step], step.id.map { [$0: outcome] } ?? [:])
        do throws(SinkError) {
            try await sink.create(mailbox)
            try await sink.subscribe(mailbox)
            try ledger.settle {
                try $0.confirm(step, proof: Step.Proof(.made, mailbox.displayName), outcome: outcome)
            }
        } catch {
            try ledger.fail([step], error)
        }
    }
}

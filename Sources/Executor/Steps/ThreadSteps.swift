import MailStore
import Models

/// Steps on what the user decided about threads: the store follows in the transaction that confirms them.
struct ThreadSteps: DrainPart {
    let context: DrainContext

    func run(_ ledger: inout Ledger) throws {
        for step in ledger.steps where !ledger.isHeld(step) {
            guard case .editThreads = step.kind else { continue }
            try ledger.issue([step])
            try ledger.confirm(step, proof: .reported("kept in the store"))
        }
    }
}

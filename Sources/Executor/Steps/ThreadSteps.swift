import MailStore
import Models

/// Splits and joins threads as the user requested. The store changes in the transaction that confirms the
/// step.
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

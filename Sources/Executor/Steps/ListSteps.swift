import MailStore
import Models

/// Steps on the sender lists of the workspace.
///
/// The trap: after a crash, opus cannot tell whether opus or the user added an address to the list. So the
/// journal notes that the step will change the list before the file changes. Then `opus undo` removes exactly
/// what opus added.
struct ListSteps: DrainPart {
    let context: DrainContext

    func run(_ ledger: inout Ledger) throws {
        for step in ledger.steps where !ledger.isHeld(step) {
            guard case .list(let list, let entry, let isListed) = step.kind else { continue }
            guard let lists = context.lists else {
                try ledger.reject(step, because: "the workspace has no folder for lists")
                continue
            }
            try ledger.onDisk(step) { ledger in
                let isThere = try lists.entries(of: list).contains(SenderLists.comparable(entry))
                let isOurs = step.outcome.path != nil
                guard isThere != isListed else {
                    return try ledger.confirm(
                        step, proof: isOurs ? .reported(list.path) : Step.Proof(.unchanged),
                        outcome: step.outcome, wasDone: !isOurs)
                }
                var outcome = StepOutcome()
                outcome.path = list.path
                try ledger.issue([step], step.id.map { [$0: outcome] } ?? [:])
                _ = try lists.set(entry, in: list, isListed: isListed)
                try ledger.confirm(step, proof: .reported(list.path), outcome: outcome)
            }
        }
    }
}

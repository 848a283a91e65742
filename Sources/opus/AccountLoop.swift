import Models
import Pipeline

/// One account after the other: the trouble of one is said and keeps no other waiting; its code ends the command.
struct AccountLoop {
    let console: Console
    private var failure: Problem?

    init(console: Console) { self.console = console }

    /// Answers whether the account's part went through.
    mutating func attempt(_ body: () async throws -> Void) async throws -> Bool {
        do {
            try await body()
            return true
        } catch {
            if Task.isCancelled { throw error }
            let problem = Problem(error)
            console.report(problem)
            failure = failure ?? problem
            return false
        }
    }

    /// Ends the command with the code of the first trouble, if there was any.
    func finish() throws {
        if let failure { throw Outcome(status: failure.exit) }
    }
}

import Models
import Pipeline

/// Runs a command for each account: reports a failure, continues with the next account, and exits with the code of the
/// first failure.
struct AccountLoop {
    let console: Console
    private var failure: Problem?

    init(console: Console) { self.console = console }

    /// Returns whether the command succeeded for this account.
    mutating func attempt(_ body: () async throws -> Void) async throws -> Bool {
        do {
            try await body()
            return true
        } catch {
            try fail(error)
            return false
        }
    }

    /// Reports a result that is already known.
    mutating func note<Value>(_ result: Result<Value, any Error>, _ body: (Value) -> Void) throws {
        switch result {
        case .success(let value): body(value)
        case .failure(let error): try fail(error)
        }
    }

    private mutating func fail(_ error: any Error) throws {
        if Task.isCancelled { throw error }
        let problem = Problem(error)
        console.report(problem)
        failure = failure ?? problem
    }

    /// Ends the command with the code of the first failure, if there was one.
    func finish() throws {
        if let failure { throw Outcome(status: failure.exit) }
    }
}

public import Models

/// The result of connecting to an account.
public struct AccountCheck: Sendable {
    public struct Line: Sendable {
        public var what: String
        public var isGood: Bool
        public var words: String
    }

    public var account: AccountID
    public var lines: [Line] = []
    /// The failures of the check, with the name of the server; the first one determines the exit code of the
    /// command.
    public var failures: [Problem] = []
    public var isGood: Bool { lines.allSatisfy(\.isGood) }

    mutating func good(_ what: String, _ words: String) {
        lines.append(Line(what: what, isGood: true, words: words))
    }
    mutating func bad(_ what: String, _ words: String) {
        lines.append(Line(what: what, isGood: false, words: words))
    }
    mutating func fail(_ what: String, _ error: any Error) {
        var problem = Self.problem(error)
        bad(what, problem.message)
        if !problem.message.lowercased().contains(what) { problem.message = "\(what): \(problem.message)" }
        failures.append(problem)
    }

    /// Leaves out the advice to run the command that is already running.
    static func problem(_ error: any Error) -> Problem {
        var problem = Problem(error)
        problem.next.removeAll { $0.hasPrefix("opus account check") }
        return problem
    }
}

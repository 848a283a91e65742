import Models

extension Problem {
    /// The command has to ask, but it runs without a terminal.
    static func needsYes(details: [String] = [], next: [String]) -> Problem {
        Problem(
            "needs-yes", exit: .usage, message: "no terminal to ask on, and --yes was not given",
            details: details,
            next: next)
    }
}

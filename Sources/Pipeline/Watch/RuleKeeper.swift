import Accounts
import Models
import Rules
import Synchronization

/// The rules of a watch. They are read again before each decision, so an edited file takes effect at once.
/// While a file has errors or one of its tests fails, the last valid rules stay in force.
final class RuleKeeper: Sendable {
    private struct State {
        var good: RuleLibrary?
        /// The digest of the files at the last check, valid or not.
        var seen: String?
        /// The problem at the last check, so that it is reported once.
        var problem: Problem?
    }

    /// The result of a check.
    struct Look {
        /// nil: there have never been valid rules.
        var library: RuleLibrary?
        /// Why the files on disk are not in force; reported once.
        var news: Problem?
        /// Other rules are in force than at the last check.
        var isChanged = false
    }

    private let workspace: Workspace
    private let state = Mutex(State())

    init(_ workspace: Workspace) { self.workspace = workspace }

    /// The rules in force at the last check.
    var current: RuleLibrary? { state.withLock { $0.good } }

    /// Why the rules on disk are not in force; nil: they are.
    var problem: Problem? { state.withLock { $0.problem } }

    /// Whether the rules on disk have changed since the last check. Does not put them in force.
    func hasNewFiles() -> Bool {
        let library = RuleLibrary.load(workspace)
        return state.withLock { $0.seen != library.digest }
    }

    func look(at now: Timestamp) -> Look {
        state.withLock { state in
            let library = RuleLibrary.load(workspace)
            state.seen = library.digest
            // Without rules, a watch only fetches mail.
            if library.isMissing, state.good == nil { return Look(library: library) }
            if let good = state.good, good.digest == library.digest, library.errors.isEmpty {
                state.problem = nil
                return Look(library: good)
            }
            if var problem = Self.problem(with: library, workspace, now) {
                problem.message +=
                    state.good == nil ? "; opus applies no rules" : "; the last good rules stay in force"
                defer { state.problem = problem }
                return Look(library: state.good, news: problem == state.problem ? nil : problem)
            }
            let isChanged = state.good != nil
            (state.good, state.problem) = (library, nil)
            return Look(library: library, isChanged: isChanged)
        }
    }

    private static func problem(
        with library: RuleLibrary, _ workspace: Workspace, _ now: Timestamp
    ) -> Problem? {
        if library.isMissing { return Problem.noRules(workspace) }
        let errors = library.errors.map { "\($0.file):\($0.line):\($0.column): \($0.message)" }
        guard errors.isEmpty else {
            return Problem(
                "broken-rules", exit: .badData,
                message: "the rules have \(counted(errors.count, "error"))",
                details: Array(errors.prefix(5)), next: ["opus rules check"])
        }
        let failed = library.rules.runTests(context: workspace.ruleContext(now: now), comparing: false)
            .filter { !$0.passed }
        guard !failed.isEmpty else { return nil }
        return Problem(
            "broken-rules", exit: .badData,
            message: failed.count == 1
                ? "a test of the rules fails" : "\(failed.count) tests of the rules fail",
            details: failed.prefix(5).map { "\($0.file):\($0.line): \($0.name): \($0.detail)" },
            next: ["opus rules test"])
    }
}

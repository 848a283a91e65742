import Accounts
import Models
import Rules
import Synchronization
import TaskStore

/// The rules of a watch. They are read again before each decision. Edited files take effect when they have not changed for
/// two seconds: a program may write a file in several pieces, or rename it before it writes the new one, and a rule
/// without its `unless` would move mail that it must keep.
/// While a file has errors or one of its tests fails, the last valid rules stay in force.
final class RuleKeeper: Sendable {
    private struct State {
        var good: RuleLibrary?
        /// The files at the last check, valid or not.
        var seen: String?
        /// The digest of edited files that may still be written, and when it was first seen.
        var edited: (digest: String, since: ContinuousClock.Instant)?
        /// The problem at the last check, so that it is reported once.
        var problem: Problem?

        mutating func noteEdit(_ digest: String) {
            if digest == good?.digest {
                edited = nil
            } else if edited?.digest != digest {
                edited = (digest, .now)
            }
        }

        /// Whether edited files may still be written.
        func isBeingWritten(_ settling: Duration) -> Bool {
            guard good != nil, let edited else { return false }
            return .now - edited.since < settling
        }
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
    /// How long edited files must stay the same before they are in force.
    let settling: Duration

    init(_ workspace: Workspace, settling: Duration = .seconds(2)) {
        self.workspace = workspace
        self.settling = settling
    }

    /// The rules in force at the last check.
    var current: RuleLibrary? { state.withLock { $0.good } }

    /// Why the rules on disk are not in force; nil: they are.
    var problem: Problem? { state.withLock { $0.problem } }

    /// The folders of the rules and of the lists that they name, beside the rules or below them.
    private var folders: Set<String> {
        var folders: Set = [workspace.rulesFolder, workspace.root + "/" + SenderList.folder]
        for path in RuleLibrary.load(workspace).listTexts.keys {
            let inside = path.split(separator: "/").dropLast()
            for root in [workspace.rulesFolder, workspace.root] {
                folders.insert(([root] + inside.map(String.init)).joined(separator: "/"))
            }
        }
        return folders
    }

    /// Calls `ring` when edited rules can be in force, until the task is cancelled.
    func watchFiles(_ ring: @escaping @Sendable () -> Void) async {
        await withTaskGroup { group in
            for folder in folders {
                group.addTask { [self] in
                    for await _ in FolderWatch(root: folder, isDeep: false, links: .all).changes()
                    where hasNewFiles() {
                        try? await Task.sleep(for: settling)
                        ring()
                    }
                }
            }
        }
    }

    /// Whether the rules on disk have changed since the last check. Does not put them in force.
    func hasNewFiles() -> Bool {
        let library = RuleLibrary.load(workspace)
        return state.withLock { state in
            state.noteEdit(library.digest)
            return state.seen != library.look
        }
    }

    func look(at now: Timestamp) -> Look {
        state.withLock { state in
            let library = RuleLibrary.load(workspace)
            state.noteEdit(library.digest)
            if state.isBeingWritten(settling) { return Look(library: state.good) }
            state.seen = library.look
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

extension RuleLibrary {
    /// The digest of the files, and whether they have errors: `chmod` can make a file valid without a change of its text.
    fileprivate var look: String { digest + (errors.isEmpty ? "" : " with errors") }
}

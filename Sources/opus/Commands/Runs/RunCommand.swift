import ArgumentParser
import Documents
import Models
import Pipeline

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "The whole morning: sync, task files both ways, triage by the rules, report.",
        discussion:
            "Shows the plan and asks; --yes applies it without a question. A second run has nothing to do.")

    @OptionGroup var global: GlobalOptions

    @Flag(name: [.long, .customShort("y")], help: "Apply without asking.")
    var yes = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Touch at most so many messages, the newest first; none lifts the limit.", valueName: "number"))
    var max: String?

    @Flag(name: .long, help: "Believe it when most task files are gone.")
    var allowMassDelete = false

    @Flag(name: .long, help: "Also what tasks.when-done: trash would trash, without asking.")
    var allowTrash = false

    @Flag(name: .long, help: "Also move the mail of more changed tasks at once than brakes.count allows.")
    var allowMassMove = false

    func run() async throws {
        let console = global.console()
        guard yes || console.canAsk else {
            throw Problem(
                "needs-yes", exit: .usage, message: "there is no terminal to ask on, and --yes was not given",
                next: ["opus run --yes", "opus triage --dry-run"])
        }
        try await Session.with(try global.sessionOptions(), .changing) { session in
            var steps = RunSteps(session: session, console: console, library: try session.rules.library())
            steps.library.warnIfEmpty(session, console)
            var loop = AccountLoop(console: console)
            var reached: [AccountID] = []
            for account in try session.accounts.ids(named: global.account) {
                if try await loop.attempt({ try await steps.sync(account) }) { reached.append(account) }
            }
            for account in reached {
                _ = try await loop.attempt { try await steps.finishInterrupted(account, yes: yes) }
            }
            if !reached.isEmpty {
                try await steps.follow(
                    reached,
                    Allowed(massDelete: allowMassDelete, trash: allowTrash, massMove: allowMassMove))
            }
            var triaged = !reached.isEmpty
            for account in reached {
                let isDone = try await loop.attempt {
                    try await steps.triage(account, limit: try TriageLimit.read(max, session), yes: yes)
                }
                triaged = triaged && isDone
            }
            try steps.finish(triaged: triaged)
            try loop.finish()
        }
    }
}

/// What the person said with the command that need not be asked.
private struct Allowed {
    var massDelete: Bool
    var trash: Bool
    var massMove: Bool
}

/// Asks before mail follows task files in a way that may be a mistake.
private struct FollowQuestions {
    let console: Console
    let allowed: Allowed

    func answer(_ question: FollowQuestion) -> FollowConsent {
        switch question.kind {
        case .trash where allowed.trash: return .yes
        case .many where allowed.massMove: return .yes
        case .trash, .many, .link: break
        }
        guard console.canAsk, !console.isJSON else { return .later }
        switch console.answer(to: text(question)) {
        case true?: return .yes
        case false?: return .no
        case nil: return .later
        }
    }

    private func text(_ question: FollowQuestion) -> String {
        let mail = question.messages == 1 ? "its mail" : "its \(question.messages) messages"
        let summary = TerminalText.line(question.summary)
        switch question.kind {
        case .trash: return "Task \"\(summary)\" is finished: move \(mail) to the trash?"
        case .many(let tasks):
            return "\(counted(tasks, "task")) changed: move \(counted(question.messages, "message"))?"
        case .link(let subject):
            return
                "Task \"\(summary)\" names the mail \"\(TerminalText.line(subject))\", which opus did not link to it. "
                + "May it decide about that mail?"
        }
    }
}

/// The parts of a run in their order, and what they came to.
private struct RunSteps {
    let session: Session
    let console: Console
    let library: RuleLibrary
    private var syncs: [SyncReport] = []
    private var reports: [RunReport] = []
    private var follow: FollowReport?

    init(session: Session, console: Console, library: RuleLibrary) {
        self.session = session
        self.console = console
        self.library = library
    }

    mutating func sync(_ account: AccountID) async throws {
        let reporter = SyncReporter(console: console)
        let report = try await reporter.run(session, account)
        syncs.append(report)
        guard !console.isJSON else { return }
        if console.isQuiet { reporter.showProblems(report) } else { reporter.show(report) }
    }

    /// What an interrupted run left is not done before somebody has seen it.
    mutating func finishInterrupted(_ account: AccountID, yes: Bool) async throws {
        let runs = try session.journal.interrupted(of: account)
        guard !runs.isEmpty else { return }
        let names = runs.map(\.run.id.description).joined(separator: ", ")
        if !console.isJSON {
            let steps = runs.flatMap(\.steps)
            console.print(
                "\(names) \(runs.count == 1 ? "was" : "were") interrupted; \(counted(steps.count, "step is", "steps are")) left:"
            )
            for line in StepSummary.counted(steps.map { "× " + StepWord.of($0.kind) }) {
                console.print("  " + line)
            }
        }
        guard yes || console.ask("Finish \(runs.count == 1 ? "it" : "them")?") else {
            let undo = runs.map { "opus undo \($0.run.id)" }.joined(separator: "      or  ")
            return console.note("Nothing of it is done.      next: \(undo)      takes it back")
        }
        let report = try await session.journal.finish(runs, of: account)
        reports.append(report)
        if !console.isJSON, !report.didNothing { RunOutput(session: session, console: console).show(report) }
    }

    mutating func follow(_ accounts: [AccountID], _ allowed: Allowed) async throws {
        let question = FollowQuestions(console: console, allowed: allowed)
        let report = try await session.follow.taskEdits(
            for: accounts, allowMassDelete: allowed.massDelete, agree: question.answer)
        follow = report
        reports += report.runs
        guard !console.isJSON else { return }
        let lines = console.isQuiet ? report.held : report.lines + report.held
        for line in lines { console.print(TerminalText.line(line)) }
        if !console.isQuiet { for mail in report.returned { console.print(ReturnedText.of(mail)) } }
        for line in report.malformed { console.warn(console.style.yellow("! ") + TerminalText.line(line)) }
        for run in report.runs where !run.didNothing { show(run) }
    }

    mutating func triage(_ account: AccountID, limit: Int?, yes: Bool) async throws {
        let plan = try session.triage.plan(for: account, rules: library, limit: limit)
        let totals = PlanTotals(plan)
        // What is so already is remembered as done all the same.
        guard totals.hasChanges || totals.alreadySo > 0 else {
            try session.triage.noteTimers(after: plan, library, limit: limit)
            try session.triage.noteHits(of: plan, library)
            for warning in plan.items.flatMap(\.warnings) + plan.warnings {
                console.note(console.style.yellow("! ") + TerminalText.line(warning))
            }
            return
        }
        if !console.isJSON, !console.isQuiet || !yes {
            try PlanOutput(session: session, console: console).show(plan, library, isDryRun: false)
        }
        let command = "opus triage --yes --max " + (limit.map(String.init) ?? "none")
        var agreed = plan
        let held = try session.brakes.problem(with: plan, said: [], command: command)
        if totals.hasChanges, held != nil || !yes {
            if let held {
                guard console.canAsk, !console.isJSON else { throw held }
                try BrakeQuestion(session: session, console: console).ask(plan, held)
            } else if !console.ask("Apply this plan to \(account)?") {
                return console.note("Nothing was changed by the rules.")
            }
            agreed = try await AgreedPlan(session: session, console: console).look(at: plan)
        }
        let report = try await session.triage.apply(agreed, command: "run")
        try session.triage.noteTimers(after: plan, library, limit: limit)
        reports.append(report)
        show(report)
    }

    /// With `--quiet` only what did not go as it should, and what rules want the person to know.
    private func show(_ report: RunReport) {
        guard !console.isJSON, !report.didNothing else { return }
        guard console.isQuiet, report.exit == .done, report.drain.failures.isEmpty,
            report.drain.interruption == nil
        else { return RunOutput(session: session, console: console).show(report) }
        for notice in report.notices { console.print(console.style.yellow("! ") + TerminalText.line(notice)) }
    }

    /// Steps that wait until a person agrees to them: the last report of each account tells them all.
    private func showUnagreed() {
        let last = Dictionary(reports.map { ($0.account, $0) }, uniquingKeysWith: { _, last in last })
        let count = last.values.flatMap(\.drain.later).filter { $0.state == .planned }.count
        if count > 0 {
            console.print("\(counted(count, "step waits", "steps wait")) until you agree (opus status)")
        }
    }

    /// `triaged`: whether what could be looked at went through, so that "nothing" means something.
    func finish(triaged: Bool) throws {
        let problems = syncs.flatMap(\.problems)
        if console.isJSON {
            try console.print(json: MorningDocument(syncs: syncs, follow: follow, runs: reports))
        } else if !console.isQuiet, triaged, reports.allSatisfy(\.didNothing),
            syncs.allSatisfy({ $0.isQuiet }),
            follow?.lines.isEmpty ?? true, follow?.held.isEmpty ?? true
        {
            let unread = follow?.malformed.count ?? 0
            // The last report of an account tells what still waits in it.
            let later = Dictionary(
                reports.map { ($0.account, $0.drain.later.count) }, uniquingKeysWith: { _, last in last }
            ).values.reduce(0, +)
            if later > 0 {
                console.print(
                    "Nothing to do now; \(later) step\(later == 1 ? " waits" : "s wait") (opus status).")
            } else {
                console.print(
                    unread == 0
                        ? "Nothing to do."
                        : "\(unread) task file\(unread == 1 ? "" : "s") cannot be read; nothing else to do.")
            }
        }
        if console.isQuiet, !console.isJSON { showUnagreed() }
        let status = reports.reduce(ExitStatus.done) { $0.worse($1.exit) }
        if status != .done { throw Outcome(status: status) }
        if !problems.isEmpty || !(follow?.malformed.isEmpty ?? true) || follow?.isBraked == true {
            throw Outcome(status: .someFailed)
        }
    }
}

/// One line for a deferred message that is back in the inbox.
enum ReturnedText {
    static func of(_ mail: ReturnedMail) -> String {
        "back in the inbox: m:\(mail.shortID)  \(TerminalText.line(mail.from))  \(TerminalText.line(mail.subject))"
    }
}

extension SyncReport {
    var isQuiet: Bool { added == 0 && changed == 0 && removed == 0 }
}

/// How many messages one triage may touch: 50 until a first run was applied, then all.
enum TriageLimit {
    static let first = 50

    static func read(_ text: String?, _ session: Session) throws -> Int? {
        guard let text else { return try session.journal.hasRunOnMail() ? nil : first }
        if text == "none" { return nil }
        guard let number = Int(text), number > 0 else {
            throw Problem("bad-max", exit: .usage, message: "--max takes a number or none, not \"\(text)\"")
        }
        return number
    }
}

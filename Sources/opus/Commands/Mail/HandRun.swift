import ArgumentParser
import Documents
import Models
import Pipeline

/// The options of commands on messages: `opus archive`, `opus flag` and others.
struct HandOptions: ParsableArguments {
    @OptionGroup var preview: PreviewOption

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Apply only if the plan has this id; confirms a plan that a brake holds.", valueName: "id"))
    var plan: String?
}

/// `--dry-run` of commands on messages.
struct PreviewOption: ParsableArguments {
    @Flag(name: .long, help: "Show what would be done, and change nothing.")
    var dryRun = false
}

/// How much of a conversation a command moves.
struct HandScope: ParsableArguments {
    @Flag(name: .long, help: "Only the messages that you name, without the rest of their conversations.")
    var message = false

    @Flag(name: .long, help: "Include the rest of the conversation in the same mailbox.")
    var thread = false

    @Flag(name: .long, help: "Include messages that protect: in the rules keeps in place.")
    var force = false

    func validate() throws {
        if message, thread { throw ValidationError("use either --message or --thread, not both") }
    }

    var takesThread: Bool? { message ? false : thread ? true : nil }
}

/// Runs one command on messages.
struct HandRun {
    let global: GlobalOptions
    let options: HandOptions
    let verb: HandVerb
    /// The command without its ids, for hints: `opus move`.
    let command: String

    func run(_ typed: [String]) async throws {
        let console = global.console()
        let ids = try MessageIDs.read(typed)
        try await Session.with(try global.sessionOptions(), options.preview.dryRun ? .reading : .changing) {
            session in
            var plans = try session.byHand.plans(for: verb, ids: ids, account: global.account)
            if options.preview.dryRun { return try show(plans, session, console) }
            try session.brakes.requireKnown(
                options.plan.map { [$0] } ?? [], among: plans, command: "\(command) …")
            var isAsked = false
            for plan in plans { isAsked = try agree(to: plan, session, console) || isAsked }
            if isAsked {
                plans = try await session.byHand.rechecked(
                    plans, verb: verb, ids: ids, account: global.account)
            }
            let reports = try await session.byHand.apply(plans, verb: verb)
            if console.isJSON {
                try console.print(json: RunDocument(reports))
            } else {
                let output = RunOutput(session: session, console: console)
                if reports.allSatisfy(\.didNothing) { console.print("Nothing to do.") }
                for report in reports where !report.didNothing { output.show(report) }
            }
            let held = try tellProtected(plans, session, console)
            let outcome = reports.reduce(held ? ExitStatus.someFailed : .done) { $0.worse($1.exit) }
            if outcome != .done { throw Outcome(status: outcome) }
        }
    }

    /// If a brake holds the plan, the user must give its id as an option or type it now. Returns whether opus asked.
    private func agree(to plan: Plan, _ session: Session, _ console: Console) throws -> Bool {
        let again = "\(command) …"
        let said = options.plan.map { [$0] } ?? []
        guard let problem = try session.brakes.problem(with: plan, said: said, command: again) else {
            return false
        }
        guard TerminalAsk(console: console).answer(.confirm(plan, held: problem)) == .yes else {
            throw problem
        }
        return true
    }

    private func show(_ plans: [Plan], _ session: Session, _ console: Console) throws {
        try HandPlanOutput(session: session, console: console).preview(plans)
        if console.isJSON { return }
        for warning in plans.flatMap(\.warnings) {
            console.note(console.style.yellow("! ") + TerminalText.line(warning))
        }
        _ = try tellProtected(plans, session, console)
    }

    /// Reports messages that stay because the rules protect them. Returns whether there are any.
    private func tellProtected(_ plans: [Plan], _ session: Session, _ console: Console) throws -> Bool {
        let items = plans.flatMap(\.items).filter { $0.protectedBy != nil }
        guard !items.isEmpty else { return false }
        let ids = try session.messages.shortIDs(items.map(\.message))
        for item in items {
            console.note(
                console.style.yellow("protected ") + (ids[item.message] ?? "") + "  "
                    + TerminalText.line(item.subject) + ": " + TerminalText.line(item.protectedBy ?? ""))
        }
        console.note("next: \(command) … --force      moves them anyway")
        return true
    }
}

import ArgumentParser
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
        let options = try options()
        try await Session.with(try global.sessionOptions(), .changing) { session in
            let output = MorningOutput(session: session, console: console, appliesAll: yes)
            defer { console.endProgress() }
            var morning = try Morning(session, options, ask: TerminalAsk(console: console)) {
                try output.show($0)
            }
            let report = try await morning.run()
            try output.show(report)
            if report.exit != .done { throw Outcome(status: report.exit) }
        }
    }

    private func options() throws -> Morning.Options {
        var options = Morning.Options()
        options.account = global.account
        options.appliesAll = yes
        options.limit = try TriageLimit(typed: max)
        options.allowsMassDelete = allowMassDelete
        options.allowsTrash = allowTrash
        options.allowsMassMove = allowMassMove
        return options
    }
}

extension TriageLimit {
    /// `--max`: a number, `none`, or nothing.
    init(typed text: String?) throws {
        switch text {
        case nil: self = .usual
        case "none"?: self = .all
        case let text?:
            guard let number = Int(text), number > 0 else {
                throw Problem(
                    "bad-max", exit: .usage, message: "--max takes a number or none, not \"\(text)\"")
            }
            self = .most(number)
        }
    }
}

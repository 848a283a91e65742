import ArgumentParser
import Documents
import Models
import Pipeline

struct BriefingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "briefing",
        abstract:
            "Show what needs you today: mail that is back, answers, due tasks, drafts, waits and the inbox.",
        discussion: """
            Also lists what rules did since the last briefing, rules that match nothing, new senders, and accounts that \
            were not synced. Works offline and, without --mail, changes nothing.
            """)

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case text
        case html
        case json
    }

    @OptionGroup var global: GlobalOptions

    @Option(
        name: .long,
        help: ArgumentHelp("The day, such as yesterday or friday (default: today).", valueName: "day"))
    var date: String?

    @Option(name: .long, help: ArgumentHelp("text, html or json.", valueName: "format"))
    var format: Format = .text

    @Flag(
        name: .long,
        help: "Put the briefing into your own inbox, once a day; no mail server sends it.")
    var mail = false

    func run() async throws {
        let console = global.console()
        try await Session.with(try global.sessionOptions(), mail ? .changing : .reading) { session in
            let day = try date.map { session.zone.day(of: try session.tasks.date($0)) }
            let briefing = try session.briefings.briefing(of: day, account: global.account)
            guard mail else { return try show(briefing, session, console) }
            guard !briefing.isEmpty else {
                if console.isJSON { try console.print(json: RunDocument([])) }
                return console.note(Briefing.nothing)
            }
            let report = try await session.briefingMailing.deliver(briefing, account: global.account)
            if console.isJSON {
                try console.print(json: RunDocument([report]))
            } else if report.queued == 0, report.didNothing {
                console.print("The briefing is already in the inbox of \(report.account).")
            } else {
                RunOutput(session: session, console: console).show(report)
            }
            if report.exit != .done { throw Outcome(status: report.exit) }
        }
    }

    private func show(_ briefing: Briefing, _ session: Session, _ console: Console) throws {
        switch console.isJSON ? .json : format {
        case .text where briefing.isEmpty: console.note(String(briefing.text(session.zone).dropLast()))
        case .text: console.print(String(briefing.text(session.zone).dropLast()))
        case .html: console.print(String(briefing.html(session.zone).dropLast()))
        case .json: try console.print(json: BriefingDocument(briefing, zone: session.zone))
        }
    }
}

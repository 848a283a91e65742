import ArgumentParser
import Models
import Pipeline

struct UnsubscribeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unsubscribe", abstract: "Unsubscribe from the list that a message came from.",
        discussion: """
            Shows what it would do and asks: either a request to the sender's server (RFC 8058) or a mail with the text \
            that the list requires. Both tell the sender that this address is in use. Warns when the server or \
            address belongs to neither the list nor the sender.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var sending: SendingOptions

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Trust these certificates for the request, not those of the system.", valueName: "file"),
        completion: .file())
    var caFile: String?

    @Argument(help: "A message id (opus list).")
    var message: String

    func run() async throws {
        let console = global.console()
        let result = Written()
        try await Session.with(try global.sessionOptions(), .reading) { session in
            let plan = try session.unsubscribing.plan(message)
            switch plan.way {
            case .post(let address):
                console.print(TerminalText.line("POST List-Unsubscribe=One-Click to \(address)"))
                warn(plan, console)
                guard try agrees(console, "Ask \(address.host) to unsubscribe you?") else { return }
                try await session.unsubscribing.post(address, caFile: caFile)
                console.print(TerminalText.line("\(address.host) accepted the request."))
            case .mail(let to, let subject, let body):
                console.print(TerminalText.line("mail to \(to), subject \"\(subject)\""))
                if !body.isEmpty { console.print(TerminalText.line("text: \(body)")) }
                warn(plan, console)
                guard sending.yes || console.canAsk else { throw needsYes }
                result.draft = try session.unsubscribing.draft(plan).map { try session.drafts.keep($0) }
            case .page: return
            }
        }
        if let draft = result.draft {
            try await Outgoing(global: global, console: console).send([draft], with: sending)
        }
    }

    private func warn(_ plan: UnsubscribePlan, _ console: Console) {
        for warning in plan.warnings { console.note(console.style.yellow("! ") + TerminalText.line(warning)) }
    }

    private func agrees(_ console: Console, _ question: String) throws -> Bool {
        if sending.yes { return true }
        guard console.canAsk else { throw needsYes }
        if console.ask(TerminalText.line(question)) { return true }
        console.note("Nothing was done.")
        return false
    }

    private var needsYes: Problem {
        Problem(
            "needs-yes", exit: .usage, message: "no terminal to ask on, and --yes was not given",
            next: ["opus unsubscribe \(message) --yes"])
    }

    private final class Written: @unchecked Sendable {
        var draft: OpenDraft?
    }
}

import ArgumentParser
import Documents
import Models
import Pipeline

/// How a mail leaves.
struct SendingOptions: ParsableArguments {
    @Flag(name: [.long, .customShort("y")], help: "Send without asking.")
    var yes = false

    @Flag(name: .long, help: "Send at once: it cannot be taken back.")
    var noHold = false

    @Flag(name: .long, help: "Do not wait until it may leave: the next opus run or opus watch sends it.")
    var detach = false
}

struct SendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Send drafts.",
        discussion: """
            Shows who gets what and asks. A mail waits in the outbox for the time of send: { hold: 30s }, during which \
            opus outbox discard takes it back.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var sending: SendingOptions

    @Argument(help: "Draft ids (opus drafts).")
    var drafts: [String]

    func run() async throws {
        let console = global.console()
        let found = Found()
        try await Session.with(try global.sessionOptions(), .reading) { session in
            for account in try session.accounts.ids(named: global.account) {
                for line in try await session.draftsMailbox.pickUp(of: account) {
                    console.note(TerminalText.line(line))
                }
            }
            let tidings = DraftTidings(session: session, console: console)
            for draft in drafts {
                let open = try await session.drafts.open(draft)
                try session.drafts.mayEdit(open)
                found.drafts.append(try await tidings.newestToSend(open))
            }
        }
        try await Outgoing(global: global, console: console).send(found.drafts, with: sending)
    }

    /// Carries the drafts out of the session that found them. Only one task uses it.
    private final class Found: @unchecked Sendable {
        var drafts: [OpenDraft] = []
    }
}

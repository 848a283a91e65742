import ArgumentParser
import Documents
import Models
import Pipeline

/// Options for sending.
struct SendingOptions: ParsableArguments {
    @Flag(name: [.long, .customShort("y")], help: "Send without asking.")
    var yes = false

    @Flag(name: .long, help: "Send at once, without the time in which you can cancel.")
    var noHold = false

    @Flag(
        name: .long, help: "Do not wait for the sending time: the next opus run or opus watch sends the mail."
    )
    var detach = false
}

struct SendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Send drafts.",
        discussion: """
            Shows recipients and subject, and asks. A mail first waits in the outbox for the time set by \
            send: { hold: 30s }; until then, opus outbox discard cancels it.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var sending: SendingOptions

    @Flag(name: .long, help: "Send a mail again that may have been sent already.")
    var again = false

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
                try session.drafts.require(open, in: global.account)
                try session.drafts.mayEdit(open)
                found.drafts.append(try await tidings.newestToSend(open))
            }
        }
        try await Outgoing(global: global, console: console).send(found.drafts, with: sending, again: again)
    }

    /// Passes the drafts out of the session. One task only uses it.
    private final class Found: @unchecked Sendable {
        var drafts: [OpenDraft] = []
    }
}

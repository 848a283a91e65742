import ArgumentParser
import Models
import Pipeline

/// `opus inbox`: processes the inbox on a full screen, one conversation at a time.
struct InboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inbox", abstract: "Decide about the inbox on a full screen, one key for each message.",
        discussion: """
            Works on the mail of the last sync (opus sync). z undoes the last decision, then the one before it; opus \
            undo undoes the whole session. Conversations with an open task count as decided and are left out.

            """ + InboxKeys.help.joined(separator: "\n"))

    @OptionGroup var global: GlobalOptions

    @Flag(name: .long, help: "Include conversations that have an open task.")
    var all = false

    @Argument(help: "Only messages that match this query.")
    var query: [String] = []

    func run() async throws {
        let console = global.console()
        guard !global.json, TerminalScreen.isPossible(environment: global.environment) else {
            throw Problem(
                "needs-terminal", exit: .usage,
                message: global.json
                    ? "opus inbox has no JSON document" : "opus inbox needs a terminal with a screen",
                next: ["opus list", "opus triage"])
        }
        try await Session.with(try global.sessionOptions(), .reading) { session in
            let query = try QueryText.parse(query, session)
            let items = try session.inbox.items(
                account: global.account, matching: query, isEverything: all)
            guard !items.isEmpty else {
                return console.print("Nothing to decide. (opus sync fetches new mail.)")
            }
            try await run(items, session, console)
        }
    }

    private func run(_ items: [InboxItem], _ session: Session, _ console: Console) async throws {
        let loop = InboxLoop(session, items, global: global, console: console)
        let desk = session.inboxDesk { loop.waker.post(.news($0)) }
        let ending = await withTaskGroup { group in
            group.addTask { await desk.work() }
            let ending = await loop.run(desk)
            if desk.isOpen { console.progress("Sending the last changes…") }
            desk.finish()
            await group.waitForAll()
            console.endProgress()
            return ending
        }
        loop.hearTheRest()
        let summary = InboxSummary(screen: loop.screen, run: desk.run, isOpen: desk.isOpen)
        for line in summary.lines { console.print(line) }
        if ending == .stopped { throw Outcome(status: .interrupted) }
        if loop.screen.offline != nil, desk.isOpen { throw Outcome(status: .temporary) }
    }
}

/// What opus prints after the session.
struct InboxSummary {
    let screen: InboxScreen
    let run: RunID?
    /// Whether some changes still wait for a server.
    let isOpen: Bool

    var lines: [String] {
        let model = screen.model
        var lines: [String] = []
        if model.decided > 0 {
            lines.append(
                "\(counted(model.decided, "conversation")) decided in \(screen.pace.words), \(model.left.count) left."
            )
        } else {
            lines.append("Nothing was decided, \(model.left.count) left.")
        }
        let tally = model.tally.map { "\($0.count) \($0.word)" }.joined(separator: ", ")
        if !tally.isEmpty { lines.append(tally + ".") }
        if isOpen {
            let reason = screen.offline.map { TerminalText.line($0) } ?? "opus was interrupted"
            lines.append("Not sent yet: \(reason). The next opus run sends the changes.")
        }
        if let status = screen.status, status.isWarning {
            lines.append("! " + TerminalText.line(status.text))
        }
        if let run { lines.append("next: opus undo \(run)      undoes the session") }
        return lines
    }
}

import ArgumentParser
import Documents
import Models
import Pipeline

/// Commands that start and follow up waits: wait, delegate, nudge.

/// What an answer does to the task.
struct ReplyPolicyOption: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("What an answer does to the task: decide, close or keep.", valueName: "policy"))
    var onReply: String?

    func policy() throws -> ReplyPolicy? {
        guard let onReply else { return nil }
        guard let policy = ReplyPolicy(rawValue: onReply.lowercased()) else {
            throw Problem(
                "bad-policy", exit: .usage, message: "\"\(onReply)\" is not a value of --on-reply",
                next: ["one of: " + ReplyPolicy.allCases.map(\.rawValue).joined(separator: ", ")])
        }
        return policy
    }
}

struct WaitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Wait for the answer to a message.",
        discussion: """
            Makes a task on the list waiting: for everyone in To if you wrote the message, else for its sender. When the \
            answer comes, the task becomes a next action; at once if it is already here. Example: opus wait 7k2q --until \
            friday.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var reply: ReplyPolicyOption
    @OptionGroup var preview: PreviewOption

    @Option(
        name: .long,
        help: ArgumentHelp("Wait for this person instead; may be repeated.", valueName: "address"))
    var who: [String] = []

    @Option(
        name: .long, help: ArgumentHelp("The day to ask again: friday, +3 business days.", valueName: "when"))
    var until: String?

    @Argument(help: "A message id (opus list).")
    var message: String

    func run() async throws {
        let console = global.console()
        try await Session.with(try global.sessionOptions(), preview.dryRun ? .reading : .changing) {
            session in
            try session.messages.require(message, in: global.account)
            let plan = try session.waitMaking.plan(
                waitFor: message, who: who, until: try until.map { try session.tasks.futureDate($0) },
                onReply: try reply.policy())
            if preview.dryRun {
                return try HandPlanOutput(session: session, console: console).preview([plan], isNamed: false)
            }
            let waited = try await session.waitMaking.wait(plan)
            if !console.isJSON {
                for line in waited.answers?.lines ?? [] { console.print(TerminalText.line(line)) }
            }
            let reports = [waited.report] + (waited.answers?.runs ?? [])
            try RunOutput(session: session, console: console).show(reports)
            let status = reports.reduce(ExitStatus.done) { $0.worse($1.exit) }
            if status != .done { throw Outcome(status: status) }
        }
    }
}

struct DelegateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delegate", abstract: "Forward a message to a person, and wait for the answer.",
        discussion: """
            One run forwards the message as a draft, makes a task on the list waiting, and archives the conversation. \
            opus undo undoes all of it, and so does discarding the draft. --send asks, and then sends the draft.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var reply: ReplyPolicyOption
    @OptionGroup var preview: PreviewOption

    @Option(name: .long, help: ArgumentHelp("Your text above the message.", valueName: "text"))
    var note = ""

    @Option(
        name: .long, help: ArgumentHelp("The day to ask again: friday, +3 business days.", valueName: "when"))
    var until: String?

    @Flag(name: .long, help: "Send the mail; without this it is kept as a draft.")
    var send = false

    @OptionGroup var sending: SendingOptions

    @Argument(help: "A message id (opus list).")
    var message: String

    @Argument(help: "The person to ask: an address, or a name from people: in opus.yaml.")
    var whom: String

    func run() async throws {
        let console = global.console()
        let made = Made()
        try await Session.with(try global.sessionOptions(), preview.dryRun ? .reading : .changing) {
            session in
            try session.messages.require(message, in: global.account)
            let plan = try session.waitMaking.plan(
                delegate: message, to: whom, note: note,
                until: try until.map { try session.tasks.futureDate($0) },
                onReply: try reply.policy())
            if preview.dryRun {
                return try HandPlanOutput(session: session, console: console).preview([plan], isNamed: false)
            }
            let delegated = try await session.waitMaking.delegate(plan)
            if !(send && console.isJSON) {
                try RunOutput(session: session, console: console).show([delegated.report])
            }
            let status = delegated.report.exit
            if status != .done { throw Outcome(status: status) }
            guard let draft = delegated.draft else { return }
            if send {
                made.draft = try await session.drafts.open(draft)
                made.run = delegated.report.run
            } else {
                console.note("next: opus send \(draft)      or  opus drafts edit \(draft)")
            }
        }
        guard send, !preview.dryRun else { return }
        guard let draft = made.draft else {
            throw Problem(
                "no-such-draft", exit: .temporary, message: "the draft is not in the Drafts mailbox yet",
                next: ["opus sync", "opus drafts"])
        }
        try await Outgoing(global: global, console: console).send([draft], with: sending, partOf: made.run)
    }

    /// Passes the draft and its run out of the session. One task only uses it.
    private final class Made: @unchecked Sendable {
        var draft: OpenDraft?
        var run: RunID?
    }
}

struct NudgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nudge",
        abstract: "Ask again: write a polite draft to the people who have not answered.",
        discussion: """
            The draft is in the thread of your mail; opus never sends it by itself. A task can be nudged at most twice \
            (tasks: { max-nudges: 2 } in opus.yaml), once a day, and not while an earlier draft is unsent.
            """)

    @OptionGroup var global: GlobalOptions

    @Option(
        name: .long,
        help: ArgumentHelp("Read the text from a file, or - for standard input.", valueName: "file"),
        completion: .file())
    var body: String?

    @Option(
        name: .long,
        help: ArgumentHelp("The new day to ask again: friday, +3 business days.", valueName: "when"))
    var until: String?

    @Flag(name: .long, help: "Nudge again on the same day.")
    var again = false

    @Argument(help: "A task id (opus waiting).")
    var task: String

    func run() async throws {
        let console = global.console()
        let text = try body.map { try WritingOptions.text($0) }
        let made = Made()
        try await Session.with(try global.sessionOptions(), .changing) { session in
            let file = try session.tasks.task(task)
            let nudge = try await session.nudging.nudge(
                file, body: text, until: try until.map { try session.tasks.futureDate($0) }, again: again)
            made.draft = nudge.draft
            for person in nudge.leftOut {
                console.note(
                    "Left out: \(TerminalText.line(person.addrSpec)), which your mail did not reach.")
            }
        }
        guard let draft = made.draft else { return }
        try await DraftEnding(global: global, console: console).end(
            draft, sends: false, with: SendingOptions())
    }

    /// Passes the draft out of the session. One task only uses it.
    private final class Made: @unchecked Sendable {
        var draft: OpenDraft?
    }
}

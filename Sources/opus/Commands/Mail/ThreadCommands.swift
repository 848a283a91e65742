import ArgumentParser
import Documents
import Models
import Pipeline

/// `opus threads`: the list of conversations.
struct ThreadsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "threads",
        abstract: "List the conversations of the inbox, or those with an inbox message that matches a query.",
        discussion:
            "Counts the messages of a conversation in all mailboxes, Sent too. opus thread ID shows one of them."
    )

    @OptionGroup var global: GlobalOptions

    @Option(name: .long, help: ArgumentHelp("List another mailbox, by name or role.", valueName: "mailbox"))
    var folder: String?

    @Flag(name: .long, help: "List all mailboxes.")
    var all = false

    @Option(
        name: .long,
        help: ArgumentHelp("Show at most this many, newest first; none shows all.", valueName: "number"))
    var limit = ListLimit.most(50)

    @Argument(help: "A query, for example from:ana is:unread has:pdf (opus help query).")
    var query: [String] = []

    func run() throws {
        let session = try Session.open(try global.sessionOptions(), .reading)
        defer { session.close() }
        let asked =
            query.isEmpty
            ? nil : try QueryText.parse(query, session)
        let listing = try session.threads.list(
            account: global.account, folder: folder, everywhere: all, matching: asked,
            limit: limit == .most(0) ? nil : limit.number)
        try ThreadListOutput(session: session, console: global.listConsole()).show(
            listing,
            doubts: try QueryText.doubts(
                asked, found: !listing.lines.isEmpty, session, account: global.account))
    }
}

/// One conversation, and the decisions to split or join it.
struct ThreadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thread",
        abstract: "Show the conversation that holds a message; split and join threads.",
        discussion: """
            A thread has the messages that name each other by Message-ID. Replies that name none are added by their subject \
            (threads: in opus.yaml). Splitting and joining changes only what is shown; opus undo undoes it.
            """,
        subcommands: [ThreadShowCommand.self, ThreadSplitCommand.self, ThreadJoinCommand.self],
        defaultSubcommand: ThreadShowCommand.self)
}

struct ThreadShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the conversation that holds a message, oldest first.")

    @OptionGroup var global: GlobalOptions

    @Flag(name: .long, help: "Show who answers whom.")
    var tree = false

    @Argument(help: "A message id (opus list).")
    var id: String

    func run() throws {
        let session = try Session.open(try global.sessionOptions(), .reading)
        defer { session.close() }
        let lines = try session.messages.thread(of: id)
        let console = global.listConsole()
        guard tree || console.isJSON else {
            return try MessageListOutput(session: session, console: console).show(lines, next: nil)
        }
        let found = try session.threads.tree(of: id)
        if console.isJSON {
            return try console.print(
                json: MessagesDocument(lines, zone: session.zone, tree: found))
        }
        let output = ThreadTreeOutput(session: session, console: console)
        output.show(found, lines)
    }
}

struct ThreadSplitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "split",
        abstract: "Move a message and all answers to it into a thread of their own.",
        discussion:
            "Later messages that answer it join the new thread; all others stay in the old one.")

    @OptionGroup var global: GlobalOptions

    @Argument(help: "A message id (opus thread).")
    var id: String

    func run() async throws {
        let console = global.console()
        try await Session.with(try global.sessionOptions(), .changing) { session in
            let report = try await session.threadEditing.split(id)
            try RunOutput(session: session, console: console).show([report])
            if report.exit != .done { throw Outcome(status: report.exit) }
        }
    }
}

struct ThreadJoinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Join the threads of messages.",
        discussion: """
            This changes only what is shown. Rules, tasks and --thread still use the separate conversations.
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "Two or more message ids (opus list).")
    var ids: [String]

    func run() async throws {
        let console = global.console()
        try await Session.with(try global.sessionOptions(), .changing) { session in
            let report = try await session.threadEditing.join(ids)
            try RunOutput(session: session, console: console).show(report.map { [$0] } ?? [])
            guard let report else {
                if !console.isJSON { console.print("They already are one thread.") }
                return
            }
            if report.exit != .done { throw Outcome(status: report.exit) }
        }
    }
}

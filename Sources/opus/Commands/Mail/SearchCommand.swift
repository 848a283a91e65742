import ArgumentParser
import Documents
import Models
import Pipeline
import Rules

struct SearchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Find messages in every mailbox.")

    @OptionGroup var global: GlobalOptions

    @Option(name: .long, help: ArgumentHelp("Show at most this many; none shows all.", valueName: "number"))
    var limit = ListLimit.most(ListLimit.usual)

    @Option(name: .long, help: ArgumentHelp("Search mail, tasks or all.", valueName: "what"))
    var `in`: SearchScope = .mail

    @Option(
        name: .long,
        help: ArgumentHelp("Order by date (newest first) or by rank (exact first).", valueName: "order"))
    var sort: SearchOrder = .date

    @Flag(name: .long, help: "Show one line for each thread: its newest message that matches.")
    var threads = false

    @Flag(name: .long, help: "Print only the number of messages (with --threads: of threads).")
    var count = false

    @Option(
        name: .long,
        help: ArgumentHelp("Save the query in opus.yaml under a name: query:NAME uses it.", valueName: "name")
    )
    var save: String?

    @Option(name: .long, help: ArgumentHelp("Remove a saved search.", valueName: "name"))
    var remove: String?

    @Flag(name: .long, help: "List the saved searches.")
    var saved = false

    @Argument(help: "A query, for example subject:\"q3 plan\" older:7d -label:news (opus help query).")
    var query: [String] = []

    func run() throws {
        let named = [save != nil, remove != nil, saved].filter(\.self).count
        guard named < 2 else {
            throw Problem(
                "two-options", exit: .usage, message: "use one of --save, --saved and --remove",
                next: ["opus search --help"])
        }
        if named == 1 { return try runSaved() }
        let session = try Session.open(try global.sessionOptions(), .reading)
        defer { session.close() }
        guard let query = try QueryText.parse(query, session) else {
            throw Problem(
                "no-query", exit: .usage, message: "the query is empty", next: ["opus search from:ana"])
        }
        guard self.in == .mail else { return try searchTasks(query, session) }
        let output = SearchOutput(
            session: session, console: global.listConsole(), query: query, account: global.account)
        if count { return try output.showCount(ofThreads: threads) }
        try output.show(limit: limit.number ?? .max, order: sort == .rank ? .rank : .date, threads: threads)
    }

    private func searchTasks(_ query: Query, _ session: Session) throws {
        guard !threads, !count else {
            throw Problem(
                "mail-only", exit: .usage, message: "--threads and --count are for mail, not for tasks",
                next: ["opus task list"])
        }
        let console = global.listConsole()
        let lines =
            self.in == .tasks
            ? [] : try session.messages.search(query, account: global.account, limit: limit.number ?? .max)
        let files = try session.taskMail.tasks(matching: query)
        var doubts =
            self.in == .tasks
            ? []
            : try QueryText.doubts(
                query, found: !lines.isEmpty || !files.isEmpty, session, account: global.account)
        if let first = query.mailConditions.first {
            doubts.append(
                "only mail has \(first): search tasks by words and task:list, or use opus task list")
        }
        if console.isJSON {
            return try console.print(json: SearchDocument(lines, files, session, warnings: doubts))
        }
        if self.in == .all {
            try MessageListOutput(session: session, console: console).show(lines, next: nil)
        }
        for doubt in doubts { console.note(console.style.yellow("! ") + TerminalText.line(doubt)) }
        if self.in == .all, console.isTerminal, !files.isEmpty { console.print("") }
        if !files.isEmpty || self.in == .tasks {
            TaskOutput(session: session, console: console).show(files, try session.tasks.board().board)
        }
    }

    // MARK: Saved searches

    private func runSaved() throws {
        let console = global.console()
        let tool = try SearchBook(try global.sessionOptions())
        if let save {
            try tool.save(save, query.joined(separator: " "))
            return console.note("Saved: opus search query:\(save)")
        }
        guard query.isEmpty else {
            throw Problem(
                "no-query-here", exit: .usage, message: "this option takes no query",
                next: ["opus search --help"])
        }
        if let remove {
            try tool.remove(remove)
            return console.note("Removed \(TerminalText.line(remove)).")
        }
        if console.isJSON { return try console.print(json: SearchesDocument(tool.all)) }
        guard console.isTerminal else {
            for (name, query) in tool.all {
                console.print("\(TerminalText.line(name))\t\(TerminalText.line(query))")
            }
            return
        }
        guard !tool.all.isEmpty else {
            return console.note("No search is saved.      next: opus search --save NAME QUERY")
        }
        var table = Table([.init(title: "NAME"), .init(title: "QUERY", isFlexible: true)])
        for (name, query) in tool.all { table.add([TerminalText.line(name), TerminalText.line(query)]) }
        console.print(table)
    }
}

/// Where `opus search` looks.
enum SearchScope: String, ExpressibleByArgument, CaseIterable {
    case mail
    case tasks
    case all
}

/// The order of what `opus search` finds.
enum SearchOrder: String, ExpressibleByArgument, CaseIterable {
    case date
    case rank
}

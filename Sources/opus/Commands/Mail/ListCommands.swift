import ArgumentParser
import Documents
import Models
import Pipeline
import Rules

struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the inbox, or the inbox messages that match a query.",
        aliases: ["ls"])

    @OptionGroup var global: GlobalOptions

    @Option(name: .long, help: ArgumentHelp("List another mailbox, by name or role.", valueName: "mailbox"))
    var folder: String?

    @Flag(name: .long, help: "List all mailboxes.")
    var all = false

    @Option(name: .long, help: ArgumentHelp("Show at most this many, newest first.", valueName: "number"))
    var limit: Int?

    @Argument(help: "A query, for example from:ana is:unread has:pdf (opus help query).")
    var query: [String] = []

    func run() throws {
        let session = try Session.open(try global.sessionOptions(), .reading)
        defer { session.close() }
        let asked = try QueryText.parse(query, rules: RuleLibrary.load(session.workspace).rules)
        let lines = try session.messages.list(
            account: global.account, folder: folder, everywhere: all, matching: asked)
        let console = global.listConsole()
        let output = MessageListOutput(session: session, console: console)
        let shown = limit.map { Array(lines.prefix(max(0, $0))) } ?? lines
        defer {
            if shown.count < lines.count {
                console.note("\(lines.count - shown.count) more (--limit \(shown.count))")
            }
        }
        // Bundles are one line each in the inbox; a query, another mailbox and JSON show every message.
        let isInbox = folder == nil && !all && query.isEmpty && !console.isJSON
        let grouped = isInbox ? MailBundle.grouping(shown, labels: session.bundling.labels) : (shown, [])
        defer { for bundle in grouped.1 { console.print(TerminalText.line(bundle.words) + bundle.hint) } }
        try output.show(
            grouped.0, next: folder == nil && !all && query.isEmpty ? "opus triage" : nil,
            doubts: try QueryText.doubts(asked, found: !lines.isEmpty, session, account: global.account))
    }
}

extension MailBundle {
    /// How to see and clear it.
    fileprivate var hint: String { "  (opus bundle list \(bundle.name))" }
}

struct SearchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Find messages in every mailbox.")

    @OptionGroup var global: GlobalOptions

    @Option(name: .long, help: ArgumentHelp("Show at most this many, newest first.", valueName: "number"))
    var limit = 500

    @Option(name: .long, help: ArgumentHelp("Search mail, tasks or all.", valueName: "what"))
    var `in`: SearchScope = .mail

    @Argument(help: "A query, for example subject:\"q3 plan\" older:7d -label:news (opus help query).")
    var query: [String]

    func run() throws {
        let session = try Session.open(try global.sessionOptions(), .reading)
        defer { session.close() }
        let rules = RuleLibrary.load(session.workspace).rules
        guard let query = try QueryText.parse(query, rules: rules) else {
            throw Problem(
                "no-query", exit: .usage, message: "the query is empty", next: ["opus search from:ana"])
        }
        let console = global.listConsole()
        let lines =
            self.in == .tasks ? [] : try session.messages.search(query, account: global.account, limit: limit)
        guard self.in != .mail else {
            return try MessageListOutput(session: session, console: console).show(
                lines, next: nil,
                doubts: try QueryText.doubts(query, found: !lines.isEmpty, session, account: global.account))
        }
        let files = try session.taskMail.tasks(matching: query)
        var doubts = try QueryText.doubts(
            query, found: !lines.isEmpty || !files.isEmpty, session, account: global.account)
        if files.isEmpty, query.requiredTerms.isEmpty {
            doubts.append("tasks can only be searched by words; opus task list has other filters")
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
}

/// Where `opus search` looks.
enum SearchScope: String, ExpressibleByArgument, CaseIterable {
    case mail
    case tasks
    case all
}

/// Parses a query argument; errors are shown with a caret.
enum QueryText {
    /// Names that the rules define (`define:`, as in `is:bulk`) are known too.
    static func parse(_ words: [String], rules: RuleSet) throws -> Query? {
        let text = words.joined(separator: " ")
        guard !text.isEmpty else { return nil }
        switch Query.parse(text, rules: rules) {
        case .success(let query): return query
        case .failure(let errors): throw DiagnosticFailure(errors.diagnostics, exit: .usage)
        }
    }

    /// Reasons in the query why nothing was found.
    static func doubts(
        _ query: Query?, found: Bool, _ session: Session, account: String?
    ) throws -> [String] {
        guard let query, !found else { return [] }
        return try session.messages.doubts(about: query, account: account)
    }
}

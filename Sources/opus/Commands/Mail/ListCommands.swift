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

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Show at most this many, newest first (default: 500, with --json all); none shows all.",
            valueName: "number"))
    var limit: ListLimit?

    @Argument(help: "A query, for example from:ana is:unread has:pdf (opus help query).")
    var query: [String] = []

    func run() throws {
        let session = try Session.open(try global.sessionOptions(), .reading)
        defer { session.close() }
        let console = global.listConsole()
        let output = MessageListOutput(session: session, console: console)
        let most = limit.most(isJSON: console.isJSON)
        // Without a query only the rows that are shown are read.
        if query.isEmpty, let most {
            let (lines, hasMore) = try session.messages.newest(
                most, account: global.account, folder: folder, everywhere: all)
            defer {
                if hasMore {
                    console.note("more than \(counted(lines.count, "message")) (--limit none shows all)")
                }
            }
            return try show(lines, session, console, output)
        }
        let asked = try QueryText.parse(query, session)
        let lines = try session.messages.list(
            account: global.account, folder: folder, everywhere: all, matching: asked)
        let shown = most.map { Array(lines.prefix($0)) } ?? lines
        defer {
            if shown.count < lines.count {
                console.note("\(lines.count - shown.count) more (--limit \(shown.count))")
            }
        }
        try show(
            shown, session, console, output,
            doubts: try QueryText.doubts(asked, found: !lines.isEmpty, session, account: global.account))
    }

    private func show(
        _ shown: [MessageLine], _ session: Session, _ console: Console, _ output: MessageListOutput,
        doubts: [String] = []
    ) throws {
        // Bundles are one line each in the inbox; a query, another mailbox and JSON show every message.
        let isInbox = folder == nil && !all && query.isEmpty && !console.isJSON
        let grouped = isInbox ? MailBundle.grouping(shown, labels: session.bundling.labels) : (shown, [])
        defer { for bundle in grouped.1 { console.print(TerminalText.line(bundle.words) + bundle.hint) } }
        let next = shown.isEmpty ? "opus sync" : "opus triage"
        try output.show(
            grouped.0, next: folder == nil && !all && query.isEmpty ? next : nil, doubts: doubts)
    }
}

extension MailBundle {
    /// How to see and clear it.
    fileprivate var hint: String { "  (opus bundle list \(bundle.name))" }
}

/// Parses a query argument; errors are shown with a caret.
enum QueryText {
    /// Names that the rules define (`define:`, as in `is:bulk`) are known too.
    static func parse(_ words: [String], _ session: Session) throws -> Query? {
        try parse(
            words, rules: RuleLibrary.rules(for: words.joined(separator: " "), session.workspace))
    }

    static func parse(_ words: [String], rules: RuleSet) throws -> Query? {
        let text = words.joined(separator: " ")
        guard text.contains(where: { !$0.isWhitespace }) else { return nil }
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

import ArgumentParser
import Models
import Pipeline

/// `opus defer 7k2q friday`: a message leaves the inbox until a date.
struct DeferCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "defer",
        abstract: "Take mail out of the inbox until a day, defer tasks, or list deferred mail.",
        usage: """
            opus defer <ids> ... <when>
            opus defer --cancel <ids> ...
            opus defer --list
            """,
        discussion: """
            Example: opus defer 7k2q next monday. Write the day as in rules (opus help dates); someday has no date. The message \
            comes back unread at that time, or as soon as a person of its conversation answers. To end a deferral in another \
            program, move the message out of the Deferred mailbox. A task id (t:9d4x) defers the task, as opus task defer does.
            """, aliases: ["snooze"])

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: HandOptions

    @Flag(name: .long, help: "Only the messages that you name, without the rest of their conversations.")
    var message = false

    @Flag(name: .long, help: "List deferred messages, the next to come back first.")
    var list = false

    @Option(
        name: .long,
        help: ArgumentHelp("With --list: show at most this many; none shows all.", valueName: "number"))
    var limit: ListLimit?

    @Flag(name: .long, help: "Bring messages back to the inbox now.")
    var cancel = false

    @Argument(
        help:
            "Message ids (opus list; - reads them from standard input) or task ids, and when they come back.")
    var words: [String] = []

    func validate() throws {
        if list, cancel { throw ValidationError("use either --list or --cancel, not both") }
        if limit != nil, !list { throw ValidationError("--limit is for --list") }
        if list, !words.isEmpty { throw ValidationError("--list takes no message ids") }
        if cancel, words.isEmpty {
            throw ValidationError("say which messages: opus defer --cancel 7k2q")
        }
        if !list, !cancel, words.count < 2 {
            throw ValidationError("say which message, then when: opus defer 7k2q friday")
        }
        try checkTasks()
    }

    func run() async throws {
        if list { return try show() }
        let tasks = Array(words.prefix(while: Self.isTask))
        guard tasks.isEmpty else {
            // Tasks are deferred as opus task defer does it.
            let phrase = cancel ? "none" : words.dropFirst(tasks.count).joined(separator: " ")
            return try TaskDeferring(global: global).run(tasks, until: phrase)
        }
        guard !cancel else { return try await run(.cancelDeferral, words) }
        let (ids, phrase) = try split()
        try await run(phrase == "none" ? .cancelDeferral : .deferUntil(phrase), ids)
    }

    private func run(_ effect: HandVerb.Effect, _ ids: [String]) async throws {
        // A deferred message comes back, so `protect` does not apply.
        let verb = HandVerb(effect, takesThread: message ? false : nil, isForced: true)
        try await HandRun(global: global, options: options, verb: verb, command: "opus defer").run(ids)
    }

    private static func isTask(_ word: String) -> Bool { word.hasPrefix("t:") }

    private func checkTasks() throws {
        guard let task = words.first(where: Self.isTask) else { return }
        let rest = words.drop(while: Self.isTask)
        if rest.contains(where: Self.isTask) || rest.count == words.count || cancel && !rest.isEmpty {
            throw ValidationError("use one command for tasks and another for messages")
        }
        if !cancel, rest.isEmpty { throw ValidationError("say when: opus defer \(task) friday") }
        if message || options.preview.dryRun || options.plan != nil {
            throw ValidationError("--message, --dry-run and --plan are for messages, and \(task) is a task")
        }
    }

    private func show() throws {
        let session = try Session.open(try global.sessionOptions(), .reading)
        defer { session.close() }
        let lines = try session.deferrals.list(account: global.account)
        let console = global.listConsole()
        try MessageListOutput(session: session, console: console).show(lines, limit: limit?.number, next: nil)
    }

    /// The ids come first; the date begins at the first word that is not the id of a message.
    private func split() throws -> (ids: [String], phrase: String) {
        let session = try Session.open(try global.sessionOptions(), .reading)
        defer { session.close() }
        let count = session.deferrals.leadingIDs(in: words)
        return (Array(words[..<count]), words[count...].joined(separator: " "))
    }
}

import ArgumentParser
import Documents
import Models
import Pipeline

struct ReviewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "review",
        abstract: "Review everything that you may have forgotten, one question at a time.",
        discussion: """
            Asks about the inbox, drafts, waits, old next actions, projects without a next action, someday, deferred mail, and \
            rules that never match or are always undone. One key answers a question, z undoes the last answer, + adds a task. \
            q stops; the next opus review continues there, even after a crash. Without a terminal, answers are read from \
            standard input, one per line. --json only lists the questions.
            """)

    @OptionGroup var global: GlobalOptions

    @Option(
        name: .long,
        help: ArgumentHelp("The number of messages that may stay in the inbox.", valueName: "number"))
    var inbox = 0

    @Flag(name: .long, help: "Start the review again, without the answers so far.")
    var restart = false

    func validate() throws {
        if inbox < 0 { throw ValidationError("--inbox takes a number of at least 0.") }
    }

    func run() async throws {
        let console = global.console()
        guard !console.isJSON else {
            let session = try Session.open(try global.sessionOptions(), .reading)
            defer { session.close() }
            let state = session.review.state(restarting: restart)
            let items = try session.review.items(account: global.account, inbox: inbox)
            return try console.print(json: ReviewDocument(items, state, session.zone))
        }
        try await ReviewRun(global: global, console: console, inbox: inbox).run(restarting: restart)
    }
}

/// One review. It starts where the last one stopped.
private struct ReviewRun {
    let global: GlobalOptions
    let console: Console
    let inbox: Int
    private let keys = KeyReader()

    init(global: GlobalOptions, console: Console, inbox: Int) {
        (self.global, self.console, self.inbox) = (global, console, inbox)
    }

    /// State that the steps share. One task only uses it.
    private final class Progress: @unchecked Sendable {
        var state: ReviewState
        var items: [ReviewItem] = []
        var ids: [String: String] = [:]
        /// Questions about mail whose answer was refused, as when another program has moved it. The next review asks again.
        var skipped: Set<String> = []

        init(_ state: ReviewState) { self.state = state }

        var open: [ReviewItem] {
            let decided = state.decided.union(skipped)
            return items.filter { !decided.contains($0.key) }
        }
    }

    /// Closes the session while the user thinks, so that other commands can run.
    func run(restarting: Bool) async throws {
        let progress = try begin(restarting)
        var when = try look(progress)
        if !progress.state.answers.isEmpty {
            console.note(
                "The review continues: \(counted(progress.state.decided.count, "question")) answered before.")
        }
        while let item = progress.open.first {
            keys.dropTyped()
            show(item, progress, when)
            guard let key = keys.key() else { return stop(progress) }
            switch key {
            case "q": return stop(progress)
            case "z":
                try await takeBack(progress)
                when = try look(progress)
            case "+":
                try await add(item, progress)
            case "?": explain(item)
            case _:
                guard let choice = choice(key, item) else {
                    console.print("  unknown key; ? lists the keys")
                    continue
                }
                if try await answer(item, choice, progress), choice != .keep { when = try look(progress) }
            }
        }
        try end(progress)
    }

    private func takeBack(_ progress: Progress) async throws {
        do {
            try await change { session in
                if try await !session.review.takeBack(&progress.state) { console.print("  nothing to undo") }
            }
        } catch let problem as Problem {
            console.warn("  ! " + TerminalText.line(problem.message))
        }
    }

    private func begin(_ restarting: Bool) throws -> Progress {
        let session = try Session.open(try global.sessionOptions(), .reading)
        defer { session.close() }
        return Progress(session.review.state(restarting: restarting))
    }

    /// The questions as they are now.
    private func look(_ progress: Progress) throws -> When {
        let session = try Session.open(try global.sessionOptions(), .reading)
        defer { session.close() }
        progress.items = try session.review.items(account: global.account, inbox: inbox)
        let mails = progress.items.filter { $0.section == .inbox || $0.section == .deferred }
        let short = try session.messages.shortIDs(mails.map { EmailID(rawValue: $0.id) })
        progress.ids = Dictionary(short.map { ($0.key.rawValue, $0.value) }) { first, _ in first }
        return When(zone: session.zone, now: session.now)
    }

    private func change(_ body: (Session) async throws -> Void) async throws {
        try await Session.with(try global.sessionOptions(), .changing, body)
    }

    // MARK: One question

    private func show(_ item: ReviewItem, _ progress: Progress, _ when: When) {
        let open = progress.open
        let total = progress.state.decided.count + open.count
        let section = open.filter { $0.section == item.section }.count
        console.print("")
        console.print(
            console.style.bold("[\(progress.state.decided.count + 1)/\(total)] \(item.section.title)")
                + " (\(section) left)")
        let id = progress.ids[item.id] ?? (item.isTask ? TaskName.short(TodoID(item.id)) : item.id)
        let words = [id, item.date.map(when.text) ?? "", item.detail].filter { !$0.isEmpty }
        console.print("  " + TerminalText.truncated(TerminalText.line(item.title), to: console.width - 2))
        console.print(
            "  "
                + console.style.dim(
                    TerminalText.truncated(
                        TerminalText.line(words.joined(separator: "  ")), to: console.width - 2)))
        explain(item)
    }

    private func explain(_ item: ReviewItem) {
        let answers = item.choices.map { "\($0.key) \($0.label(in: item.section))" }
        let keys = (answers + ["+ add a task", "z undo", "q stop"]).joined(separator: "   ")
        console.print("  " + console.style.dim(keys))
    }

    /// Enter and space are the usual answer only where it changes nothing.
    private func choice(_ key: Character, _ item: ReviewItem) -> ReviewChoice? {
        if key == " " || key == "\n" || key == "\r" { return item.choices.contains(.keep) ? .keep : nil }
        return item.choices.first { $0.key == key }
    }

    /// Whether the questions have changed: the answer was carried out, or another program moved the message.
    private func answer(_ item: ReviewItem, _ choice: ReviewChoice, _ progress: Progress) async throws -> Bool
    {
        var text = ""
        if choice == .action {
            guard let typed = title("Next action:") else { return false }
            text = typed
        }
        if choice == .keep {
            let session = try Session.open(try global.sessionOptions(), .reading)
            defer { session.close() }
            progress.state.answers.append(try await session.review.answer(item, .keep))
            try session.review.save(progress.state)
            return true
        }
        do {
            try await change { session in
                progress.state.answers.append(try await session.review.answer(item, choice, text: text))
                try session.review.save(progress.state)
            }
        } catch let problem as Problem {
            console.warn("  ! " + TerminalText.line(problem.message))
            if problem.code == "not-done", item.section == .inbox || item.section == .deferred {
                progress.skipped.insert(item.key)
                console.print("  skipped; the next review asks again")
            }
            return problem.code == "moved"
        }
        let answer = progress.state.answers.last
        let run = answer?.run.map { "  (opus undo \($0))" } ?? ""
        console.print("  → \(choice.label(in: item.section))" + run)
        if answer?.waits == true { console.print("    waits: the next run does it (opus status)") }
        return true
    }

    private func add(_ item: ReviewItem, _ progress: Progress) async throws {
        guard let title = title("New task:") else { return }
        try await change { session in
            progress.state.answers.append(try session.review.add(title, in: item.section))
            try session.review.save(progress.state)
        }
        console.print("  → added to the list inbox")
    }

    private func title(_ question: String) -> String? {
        console.note("  " + question)
        let typed = keys.line() ?? ""
        return typed.allSatisfy(\.isWhitespace) ? nil : typed
    }

    // MARK: The end

    private func stop(_ progress: Progress) {
        let left = progress.open.count
        console.print("")
        summary(progress)
        console.note("\(counted(left, "question")) left.      next: opus review continues from here")
    }

    private func end(_ progress: Progress) throws {
        console.print("")
        console.print(
            console.style.bold(
                "The review is done: \(counted(progress.state.decided.count, "question")) answered."))
        summary(progress)
        let session = try Session.open(try global.sessionOptions(), .reading)
        defer { session.close() }
        session.review.finish()
    }

    /// What changed, section by section, on one screen.
    private func summary(_ progress: Progress) {
        let changes = progress.state.changes
        guard !changes.isEmpty else { return console.print("Nothing was changed.") }
        for section in ReviewItem.Section.allCases {
            let words = changes.filter { $0.section == section }.map { change in
                change.choice?.label(in: section) ?? "task added"
            }
            guard !words.isEmpty else { continue }
            let counts = Dictionary(grouping: words, by: \.self).map { ($0.key, $0.value.count) }
            let text = counts.sorted { $0.0 < $1.0 }.map { "\($0.1) × \($0.0)" }.joined(separator: ", ")
            console.print("  \(section.title): \(text)")
        }
        let runs = changes.compactMap(\.run)
        if let first = runs.first, let last = runs.last {
            console.print("  Each answer is a run: opus undo \(first)" + (runs.count > 1 ? " … \(last)" : ""))
        }
    }
}

extension ReviewItem {
    fileprivate var isTask: Bool {
        switch section {
        case .waiting, .next, .projects, .someday: true
        case .inbox, .drafts, .deferred, .rules: false
        }
    }
}

extension ReviewItem.Section {
    fileprivate var title: String {
        switch self {
        case .inbox: "Inbox"
        case .drafts: "Drafts and outbox"
        case .waiting: "Waiting"
        case .next: "Stale next actions"
        case .projects: "Projects without a next action"
        case .someday: "Someday"
        case .deferred: "Deferred mail"
        case .rules: "Rules"
        }
    }
}

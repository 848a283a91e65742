import Documents
import Models
import Pipeline

/// Shows tasks. Text of task files goes through `TerminalText`.
struct TaskOutput {
    let session: Session
    let console: Console

    private var when: When { When(zone: session.zone, now: session.now) }

    /// Shows a list. On a terminal, each row has a number that later commands accept.
    func show(_ files: [TodoFile], _ board: TaskBoard, isNumbered: Bool = true) {
        let isNumbered = isNumbered && console.isTerminal
        var columns: [Table.Column] = [
            .init(title: "ID"), .init(title: "LIST"), .init(title: "DUE"),
            .init(title: "TASK", isFlexible: true), .init(title: "CONTEXT"),
        ]
        if isNumbered { columns.insert(.init(title: "#", alignsRight: true), at: 0) }
        var table = Table(columns)
        for (index, file) in files.enumerated() {
            let row = isNumbered ? ["\(index + 1)"] : []
            table.add(row + cells(file.todo, board))
        }
        console.print(table)
        if files.isEmpty { console.note("No tasks.") }
        if isNumbered { session.tasks.rememberRows(files) }
    }

    /// On a terminal with a column of row numbers.
    private func numbered(_ columns: [Table.Column]) -> Table {
        Table((console.isTerminal ? [.init(title: "#", alignsRight: true)] : []) + columns)
    }

    private func row(_ index: Int) -> [String] { console.isTerminal ? ["\(index + 1)"] : [] }

    private func cells(_ todo: Todo, _ board: TaskBoard) -> [String] {
        let date = todo.due ?? todo.start
        let shown = date.map { console.isTerminal ? when.text($0) : when.machine($0) } ?? ""
        let mark = todo.isOpen ? (board.blockers(of: todo).isEmpty ? "" : "⊘ ") : "✓ "
        return [
            TaskName.short(todo.id), TerminalText.line(todo.list.rawValue),
            (todo.due == nil && date != nil && console.isTerminal ? "from " : "") + shown
                + (console.isTerminal && board.isOverdue(todo) ? " !" : ""),
            mark + TerminalText.line(todo.summary),
            TerminalText.line(todo.categories.joined(separator: " ")),
        ]
    }

    /// The waiting list: from whom, how far, since when, when to ask again.
    /// `empty`: what to say if there is none.
    func showWaiting(
        _ files: [TodoFile], _ board: TaskBoard, _ waits: [TodoID: Wait], empty: String
    ) {
        var table = numbered([
            .init(title: "ID"), .init(title: "WHO", isFlexible: true), .init(title: "STATE"),
            .init(title: "SINCE"),
            .init(title: "ASK"),
            .init(title: "TASK", isFlexible: true),
        ])
        for (index, file) in files.enumerated() {
            let todo = file.todo
            let ask = todo.start.map { console.isTerminal ? when.text($0) : when.machine($0) } ?? ""
            let wait = waits[todo.id]
            let isDue = wait.map { $0.state == .overdue } ?? board.isToBeAsked(todo)
            let since = wait.map(\.since) ?? todo.created
            table.add(
                row(index) + [
                    TaskName.short(todo.id), TerminalText.line(todo.contact ?? todo.waitingOn ?? ""),
                    wait.map { TaskWord.wait($0.state) } ?? "",
                    since.map { console.isTerminal ? when.age($0) : session.zone.rfc3339($0) } ?? "",
                    (isDue && console.isTerminal ? "⚠ " : "") + ask, TerminalText.line(todo.summary),
                ])
        }
        console.print(table)
        if files.isEmpty { console.note(empty) }
        if console.isTerminal { session.tasks.rememberRows(files) }
    }

    /// A project: how much is open, how much is done, what comes next.
    func showProjects(_ projects: [TodoFile], _ board: TaskBoard) {
        var table = numbered([
            .init(title: "ID"), .init(title: "OPEN", alignsRight: true),
            .init(title: "DONE", alignsRight: true),
            .init(title: "PROJECT", isFlexible: true), .init(title: "NEXT", isFlexible: true),
        ])
        for (index, file) in projects.enumerated() {
            let parts = board.children(of: file.todo.id)
            let next = board.nextAction(of: file.todo.id)
            table.add(
                row(index) + [
                    TaskName.short(file.todo.id), "\(parts.count(where: \.isOpen))",
                    "\(parts.count(where: \.isCompleted))", TerminalText.line(file.todo.summary),
                    next.map { TerminalText.line($0.summary) } ?? "",
                ])
        }
        console.print(table)
        if projects.isEmpty { console.note("No projects. A task becomes one by opus task project.") }
        if console.isTerminal { session.tasks.rememberRows(projects) }
    }

    // MARK: One task

    func show(
        _ file: TodoFile, _ board: TaskBoard, _ mails: [MessageLine], isMailGone: Bool, _ wait: Wait?
    ) {
        let todo = file.todo
        console.print(console.style.bold(TerminalText.line(todo.summary)))
        field("Id", TaskName.short(todo.id))
        field("List", todo.list.rawValue)
        field("Status", TaskWord.status(todo) + (board.isDeferred(todo) && todo.isOpen ? ", deferred" : ""))
        field("Due", todo.due.map(when.text) ?? "")
        field("Start", todo.start.map(when.text) ?? "")
        field("Repeats", repeats(todo))
        field("Done", todo.completed.map(when.moment) ?? "")
        field("Priority", todo.priority == 0 ? "" : "\(todo.priority)")
        field("Context", todo.categories.joined(separator: " "))
        field("Contact", todo.contact ?? "")
        field("Wait", wait.map { TaskWord.wait($0.state) } ?? "")
        if let parent = todo.parent { field("Project", named(parent, board)) }
        for id in todo.dependsOn { field("After", named(id, board)) }
        for part in board.openChildren(of: todo.id) { field("Part", named(part.id, board)) }
        field("File", session.tasks.path(of: file))
        for line in mails { field("Mail", words(line)) }
        if isMailGone {
            field("Mail", session.workspace.goneMail(of: todo.account) + "; the task stays")
        }
        if !todo.notes.isEmpty { console.print("\n" + TerminalText.block(todo.notes)) }
    }

    /// The repeat rule and the next day of the series.
    private func repeats(_ todo: Todo) -> String {
        guard session.taskChanges.repeats(todo) else { return "" }
        let next = session.taskChanges.nextOccurrence(of: todo).map { "then " + when.text($0) }
        return [todo.recurrence, next].compactMap(\.self).joined(separator: ", ")
    }

    private func named(_ id: TodoID, _ board: TaskBoard) -> String {
        guard let todo = board.todo(id) else { return id.rawValue + " (not in the folder)" }
        return "\(TaskName.short(id)) \(todo.summary)" + (todo.isOpen ? "" : " (done)")
    }

    private func words(_ line: MessageLine) -> String {
        let facts = line.facts
        let from = facts.from.first?.name ?? ""
        return
            "m:\(line.shortID)  \(when.day(session.zone.local(facts.date).date))  \(from): \(facts.subject)  "
            + "(\(facts.mailbox.displayName))"
    }

    private func field(_ name: String, _ text: String) {
        guard !text.isEmpty else { return }
        console.print("  " + console.style.dim(TerminalText.padded(name, to: 9)) + TerminalText.line(text))
    }

    /// The next date of a repeating task after one occurrence was completed.
    private func next(_ word: String, _ todo: Todo) -> String {
        guard word == "done", todo.isOpen, session.taskChanges.repeats(todo),
            let date = session.taskChanges.currentOccurrence(of: todo)
        else {
            return ""
        }
        return "  next " + (console.isTerminal ? when.text(date) : when.machine(date))
    }

    /// `done  t:9d4x  Pay the rent`, one line a task.
    func changed(_ word: String, _ files: [TodoFile], unchanged: Set<TodoID> = []) throws {
        if console.isJSON {
            return try console.print(json: TasksDocument(files, malformed: [], session: session))
        }
        for file in files {
            let word = unchanged.contains(file.todo.id) ? "unchanged" : word
            console.print(
                "\(word)  \(TaskName.short(file.todo.id))  \(TerminalText.line(file.todo.summary))"
                    + next(word, file.todo))
        }
    }
}

import Accounts
import Executor
import Logging
import MailStore
public import Models
import Planner
import TaskStore
import TodoCalendar

/// The user's own changes of task files, as runs in the journal, so that a crash leaves no partial change and
/// `opus undo` works.
///
/// They belong to no mail account (``AccountID/tasks``). The written files are not marked as seen: the next
/// run updates the mail, as after a change by another program.
public struct TaskChanges: Sendable {
    let workspace: Workspace
    let store: Store
    let tasks: Tasks
    let taskStore: TaskFiles
    let files: AttachmentFolder
    let whole: WholeRun
    let clock: SessionClock
    let logger: Logger

    /// Changes several tasks in one run. A refused change does not affect the others.
    public func change(
        _ wishes: [(file: TodoFile, patch: TodoPatch)], command: String
    ) throws -> [TaskAnswer] {
        try queueAndRun(
            wishes.map { .change($0.file.todo.id, inZone($0.patch, of: $0.file.todo)) }, command: command)
    }

    /// The start in the value type of the due date. If the task has no zone, that of the workspace decides on which day a
    /// time is.
    private func inZone(_ patch: TodoPatch, of todo: Todo) -> TodoPatch {
        guard let start = patch.start, todo.timeZone == nil, patch.clears?.contains(.due) != true,
            let due = todo.due ?? patch.due
        else { return patch }
        var patch = patch
        patch.start = StartBeforeDue.inForm(of: due, start, zone: workspace.timeZone) ?? start
        return patch
    }

    /// The same for one task; throws the reason of a refusal.
    public func change(_ file: TodoFile, _ patch: TodoPatch, command: String) throws -> TodoFile {
        try one(try change([(file, patch)], command: command))
    }

    /// Adds a task of the user; its UID is random. `parts` are added as tasks of this one, which becomes a
    /// project.
    public func add(
        _ todo: Todo, parts: [TodoFile] = [], command: String
    ) throws -> (added: TodoFile, parts: [TaskAnswer]) {
        var todo = todo
        todo.created = clock.now
        if todo.timeZone == nil, todo.due?.hasTime == true || todo.start?.hasTime == true {
            todo.timeZone = workspace.timeZone
        }
        var patch = TodoPatch()
        patch.parent = todo.id
        let answers = try queueAndRun(
            [.add(todo)] + parts.map { .change($0.todo.id, patch) }, command: command)
        return (try one(Array(answers.prefix(1))), Array(answers.dropFirst()))
    }

    /// The change that completes a task: done, or for a repeating task, open with the next date of its
    /// series.
    public func completion(of file: TodoFile) throws -> TodoPatch {
        do {
            return try TodoSeries.completion(of: file.todo)
        } catch {
            throw Problem("tasks", exit: .badData, message: "\(tasks.path(of: file)): \(error)")
        }
    }

    public func repeats(_ todo: Todo) -> Bool { TodoSeries.isOne(todo) }

    /// The date of a repeating task that is to be done now.
    public func currentOccurrence(of todo: Todo) -> TodoDate? { TodoSeries.current(of: todo) }

    /// The next date of a repeating task after the current one.
    public func nextOccurrence(of todo: Todo) -> TodoDate? {
        todo.isOpen ? TodoSeries.next(after: todo) : nil
    }

    /// Executes the steps that an interrupted command left over.
    func finishRuns() throws {
        guard try !store.journal.openSteps(of: .tasks).isEmpty else { return }
        _ = try drainTasks()
    }

    /// Undoes a run of task files.
    func undo(_ work: QueuedWork, undoes run: RunID) throws -> RunReport {
        var report = RunReport(account: .tasks)
        guard !work.isEmpty else { return report }
        var new = NewRun(account: .tasks, startedAt: clock.now, command: "undo", undoes: run)
        new.partOf = whole.first()
        let queued = try store.journal.queue(new, steps: work.steps)
        whole.note(queued.id)
        report.run = new.partOf ?? queued.id
        report.queued = queued.queued.count
        report.drain = try drainTasks()
        return report
    }

    private func one(_ answers: [TaskAnswer]) throws -> TodoFile {
        if let problem = answers.first?.problem { throw problem }
        guard let file = answers.first?.file else {
            throw Problem(
                "no-such-task", exit: .notFound, message: "the task's file is gone", next: ["opus task list"])
        }
        return file
    }

    private func queueAndRun(_ wishes: [TaskWish], command: String) throws -> [TaskAnswer] {
        try Problem.wrap { try finishRuns() }
        var problems: [TodoID: Problem] = [:]
        // Leaves out requests that change nothing, and those that are refused.
        let work = wishes.filter { wish in
            do {
                return try Problem.wrap { try hasWork(wish) }
            } catch {
                problems[wish.todo] = error as? Problem
                return false
            }
        }
        let asked = Set(work.map(\.todo))
        if !work.isEmpty {
            let steps = Planning.steps(for: work, command: command, token: try CommandToken.next(in: store))
            var run = NewRun(account: .tasks, startedAt: clock.now, command: command)
            run.partOf = whole.first()
            whole.note(try Problem.wrap { try store.journal.queue(run, steps: steps) }.id)
            for step in try Problem.wrap({ try drainTasks() }).failures {
                guard let id = step.kind.todo else { continue }
                problems[id] = Problem(
                    "tasks", exit: .cannotCreate, message: step.reason ?? "the task was not written")
            }
        }
        return try wishes.map { wish in
            let problem = problems[wish.todo]
            let file = problem == nil ? try Problem.wrap { try taskStore.file(for: wish.todo) } : nil
            return TaskAnswer(file, problem, wasSo: problem == nil && !asked.contains(wish.todo))
        }
    }

    /// Whether the request changes a file; throws the reason if it cannot.
    private func hasWork(_ wish: TaskWish) throws(TaskStoreError) -> Bool {
        switch wish {
        case .add(let todo):
            try taskStore.requireWritable(todo, now: clock.now)
            return true
        case .change(let id, let patch): return try taskStore.wouldChange(id, patch, now: clock.now)
        }
    }

    private func drainTasks() throws -> DrainReport {
        try Drain(
            account: .tasks, store: store, tasks: taskStore, files: files, sink: NoSink(), submitter: nil,
            now: clock.now,
            logger: logger
        ).runTasks()
    }

    /// Resolves a conflict: `ours` writes the value that opus kept, otherwise that value is discarded.
    public func settle(_ conflict: TaskConflict, ours: Bool) throws {
        let kept = conflict.conflict
        if ours {
            let file = try Problem.wrap { try taskStore.file(for: kept.todo) }
            // A missing file is created again from the stored task.
            if let file {
                _ = try change(file, kept.patch, command: "task conflicts")
            } else {
                _ = try add(kept.wanted, command: "task conflicts")
            }
        }
        taskStore.forget(kept)
    }
}

extension TodoDate {
    fileprivate var hasTime: Bool {
        if case .date = self { return false }
        return true
    }
}

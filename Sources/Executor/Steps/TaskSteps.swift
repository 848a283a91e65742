import MailStore
import Models
import TaskStore

/// Steps on task files: create, change, remove. Each keeps the previous content, so that it can be undone.
struct TaskSteps: DrainPart {
    let context: DrainContext

    private var tasks: TaskFiles { context.tasks }

    func run(_ ledger: inout Ledger) throws {
        for step in ledger.steps where !ledger.isHeld(step) { try run(step, &ledger) }
    }

    private func run(_ step: Step, _ ledger: inout Ledger) throws {
        switch step.kind {
        case .createTodo(let todo):
            try change(step, todo.id, thorough: false, &ledger) { outcome throws(TaskStoreError) in
                var written = Written(try tasks.create(todo, now: now))
                written.isFound = outcome.pathBefore != nil
                return written
            }
        case .updateTodo(let id, let patch):
            // The step was decided from the stored version; the user may have changed the file since. The
            // user's own change was decided from the file.
            let agreed = isOwn ? nil : try store.todos.todoFile(id)
            try change(step, id, &ledger) { outcome throws(TaskStoreError) in
                let base =
                    agreed ?? (isOwn ? TaskBytes.version(id, outcome.pathBefore, outcome.contentBefore) : nil)
                return Written(try tasks.merge(id, patch, base: base, now: now))
            }
        case .removeTodo(let id, let digest):
            try change(step, id, &ledger) { _ throws(TaskStoreError) in
                try tasks.remove(id, digest: digest)
                return Written(nil)
            }
        case .restoreTodo(let id, let path, let content, let digest):
            try change(step, id, &ledger) { _ throws(TaskStoreError) in
                Written(try tasks.restore(id, path: path, content: content, digest: digest))
            }
        case .wait(let until, before: _): try wait(step, until, &ledger)
        case .append, .submit, .store, .move, .remove, .saveFile, .removeFile, .list, .createMailbox,
            .editThreads:
            return
        }
    }

    /// A task's file after a step.
    private struct Written {
        /// nil: the file no longer exists.
        var file: TodoFile?
        /// The version that the store remembers.
        var agreed: TodoFile?
        /// opus removed the file, so the store forgets the task.
        var isRemoved: Bool
        var conflicts: [TodoConflict] = []
        /// The file already existed: nothing was written.
        var isFound = false

        init(_ file: TodoFile?) {
            self.file = file
            agreed = file
            isRemoved = file == nil
        }

        init(_ merge: TaskMerge) {
            file = merge.file
            agreed = merge.agreed
            isRemoved = false
            conflicts = merge.conflicts
        }

        func proof(before path: String?) -> Step.Proof {
            let proof =
                (file?.path).map(Step.Proof.reported)
                ?? path.map { isRemoved ? Step.Proof(.removed, $0) : .reported("gone: \($0)") }
                ?? Step.Proof(.gone)
            let fields = conflicts.map { $0.field?.rawValue ?? "the task" }
            guard !fields.isEmpty else { return proof }
            return Step.Proof(.keptAside, "\(proof.sentence); kept aside: \(fields.joined(separator: ", "))")
        }
    }

    /// Changes when the deferred message comes back. Only the store changes.
    private func wait(_ step: Step, _ until: DeferredUntil?, _ ledger: inout Ledger) throws {
        guard let message = step.message else { return }
        try ledger.issue([step])
        try store.deferrals.set(message, account: account, until: until, at: now)
        try ledger.confirm(
            step, proof: until.map { Step.Proof(.waits, $0.word) } ?? Step.Proof(.waitEnded))
    }

    private func change(
        _ step: Step, _ id: TodoID, thorough: Bool = true, _ ledger: inout Ledger,
        _ body: (StepOutcome) throws(TaskStoreError) -> Written
    ) throws {
        let written: Written
        var outcome: StepOutcome
        do throws(TaskStoreError) {
            outcome = try before(step, id, thorough: thorough)
        } catch {
            try ledger.holdThread(of: step)
            return try settle(step, error, &ledger)
        }
        if let row = step.id, step.attempts == 0, outcome.pathBefore != nil {
            // Before the change: after a crash, the file no longer has its old content.
            try store.journal.resolve([StepResult(id: row, state: .ready, outcome: outcome)])
        }
        try ledger.issue([step])
        do throws(TaskStoreError) {
            written = try body(outcome)
        } catch {
            try ledger.holdThread(of: step)
            return try settle(step, error, &ledger)
        }
        if written.isFound, let file = written.file, let reason = try foreign(file, to: step) {
            try ledger.holdThread(of: step)
            return try ledger.refuse(step, because: reason)
        }
        outcome.path = written.file?.path
        outcome.digest = written.file?.digest
        // The next scan finds the user's own change like a change by another program, and updates the mail.
        if !isOwn {
            try store.todos.saveTodoFiles(
                written.agreed.map { [$0] } ?? [], removing: written.isRemoved ? [id] : [])
        }
        try ledger.confirm(
            step,
            proof: written.isFound
                ? Step.Proof(.taskExisted, outcome.path ?? "") : written.proof(before: outcome.pathBefore),
            outcome: outcome, wasDone: written.isFound)
    }

    /// Why a file with the task's UID cannot be the task of the step; nil: it is.
    ///
    /// The trap: a second mail with the same `Message-ID` finds the task of the first one, which was
    /// completed before the second mail arrived. The steps that follow the task would then follow nothing.
    private func foreign(_ file: TodoFile, to step: Step) throws -> String? {
        guard !file.todo.isOpen, !isOwn, let message = step.message else { return nil }
        let received = try store.messages.detail(of: message)?.received
        if let received, let completed = file.todo.completed, completed >= received { return nil }
        return
            "\(file.path) is the task of this mail, and is closed: the mail gets no new task and stays where it is"
    }

    /// The content before the change. If the step was begun before, it may have written the file itself: the
    /// journal has what it found then, and a new file has the same content as opus would write.
    private func before(_ step: Step, _ id: TodoID, thorough: Bool) throws(TaskStoreError) -> StepOutcome {
        var outcome = step.outcome
        guard outcome.pathBefore == nil, let there = try tasks.content(of: id, thorough: thorough) else {
            return outcome
        }
        if step.attempts > 0, writes(step, there) { return outcome }
        outcome.pathBefore = there.path
        outcome.contentBefore = there.bytes
        return outcome
    }

    private func writes(_ step: Step, _ there: (path: String, bytes: [UInt8])) -> Bool {
        switch step.kind {
        case .createTodo(let todo): TaskBytes.isNew(todo, there.bytes, now: now)
        case .restoreTodo(_, let path, let content, let digest):
            digest == nil && there.path == path && there.bytes == content
        case .updateTodo, .removeTodo, .append, .submit, .store, .move, .remove, .wait, .saveFile,
            .removeFile, .list, .createMailbox,
            .editThreads:
            false
        }
    }

    /// Whether these are the user's own changes of task files.
    private var isOwn: Bool { account == .tasks }

    private func settle(_ step: Step, _ error: TaskStoreError, _ ledger: inout Ledger) throws {
        // The command is still running, so the user sees the error.
        guard !isOwn else { return try ledger.reject(step, because: "\(error)") }
        switch (step.kind, error) {
        // The version of the other program stays, now and in later attempts.
        case (.removeTodo, .changedMeanwhile), (.restoreTodo, .changedMeanwhile), (.restoreTodo, .notFound),
            (.restoreTodo, .nameTaken):
            try ledger.reject(step, because: "\(error)")
        default: try ledger.postpone(step, because: "\(error)")
        }
    }
}

import MailStore
import Models
import TaskStore

/// Steps on task files: created, changed, removed; each with what was there before, so that it can be undone.
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
            // The step was decided on the version that the store knows; its user may have changed the file since. A
            // person's own change was decided on the file.
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
        /// nil: it no longer exists.
        var file: TodoFile?
        /// What the store remembers of it.
        var agreed: TodoFile?
        /// The store forgets the task: it was us who removed its file.
        var isRemoved: Bool
        var conflicts: [TodoConflict] = []
        /// It was there before: nothing was written.
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
            return .reported("\(proof.sentence); kept aside: \(fields.joined(separator: ", "))")
        }
    }

    /// Only the store knows how long a message waits.
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
            // Before the change, because after a kill the file no longer tells.
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
        // What a person did is found by the next scan, as if another program had done it: the mail follows it.
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

    /// Why a file with the task's UID cannot be the one of the step; nil: it is.
    ///
    /// The trap: the second mail under one `Message-ID` finds the task of the first, which was done before it came. What
    /// was to follow the task would follow nothing.
    private func foreign(_ file: TodoFile, to step: Step) throws -> String? {
        guard !file.todo.isOpen, !isOwn, let message = step.message else { return nil }
        let received = try store.messages.detail(of: message)?.received
        if let received, let completed = file.todo.completed, completed >= received { return nil }
        return
            "\(file.path) is the task of this mail, and is closed: the mail gets no new task and stays where it is"
    }

    /// What was there before the change. A step that was begun before may have written the file itself: the journal
    /// knows what it found then, and a new file says what we would say.
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

    /// Whether these are a person's own changes of task files.
    private var isOwn: Bool { account == .tasks }

    private func settle(_ step: Step, _ error: TaskStoreError, _ ledger: inout Ledger) throws {
        // The user is still at the terminal and sees it.
        guard !isOwn else { return try ledger.reject(step, because: "\(error)") }
        switch (step.kind, error) {
        // Another program's version stays, now and at the next attempt.
        case (.removeTodo, .changedMeanwhile), (.restoreTodo, .changedMeanwhile), (.restoreTodo, .notFound),
            (.restoreTodo, .nameTaken):
            try ledger.reject(step, because: "\(error)")
        default: try ledger.postpone(step, because: "\(error)")
        }
    }
}

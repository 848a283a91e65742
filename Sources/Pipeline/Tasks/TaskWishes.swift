public import Models

/// Converts the requests of task commands to changes of tasks.
extension Tasks {
    /// A new task of the user, with the values of a patch.
    public static func new(_ summary: String, on list: GTDList, _ patch: TodoPatch) -> Todo {
        var todo = Todo(id: newID(), list: list, summary: summary)
        todo.due = patch.due
        todo.start = patch.start
        todo.priority = patch.priority ?? 0
        todo.notes = patch.notes ?? ""
        todo.categories = patch.categories ?? []
        todo.contact = patch.contact
        todo.parent = patch.parent
        return todo
    }

    /// Makes a task wait for others.
    public func blocking(_ file: TodoFile, by others: [TodoFile]) throws -> TodoPatch {
        let (board, _) = try board()
        for other in others { try requireNoCircle(file, blockedBy: other, board) }
        let known = file.todo.dependsOn
        var patch = TodoPatch()
        patch.dependsOn = known + others.map(\.todo.id).filter { !known.contains($0) }
        return patch
    }

    /// Ends the wait of a task for these others; if none are named, for all.
    public func unblocking(_ file: TodoFile, by others: [TodoFile]) -> TodoPatch {
        let gone = Set(others.map(\.todo.id))
        var patch = TodoPatch()
        patch.dependsOn = gone.isEmpty ? [] : file.todo.dependsOn.filter { !gone.contains($0) }
        return patch
    }

    /// - Throws: ``Problem`` if one of them would become part of itself.
    public func requireNoCircle(_ files: [TodoFile], below project: TodoFile) throws {
        let (board, _) = try board()
        for file in files { try requireNoCircle(file, below: project, board) }
    }

    /// The conflict whose id begins with the typed text.
    public func conflict(_ typed: String, among conflicts: [TaskConflict]) throws -> TaskConflict {
        let found = conflicts.filter { !typed.isEmpty && $0.id.hasPrefix(typed.lowercased()) }
        guard let conflict = found.first, found.count == 1 else {
            throw Problem(
                "no-such-conflict", exit: .notFound,
                message: "\(found.count) conflicts have an id that begins with \(typed)",
                next: ["opus task conflicts"])
        }
        return conflict
    }
}

extension TaskMail {
    /// A task from a mail, with the values of a patch; without a title, the subject is used.
    public func draft(
        ofMessage id: String, title: String?, on list: GTDList, _ patch: TodoPatch
    ) throws -> TodoDraft {
        var draft = TodoDraft(summary: try title ?? self.title(ofMessage: id), list: list)
        draft.notes = patch.notes ?? ""
        draft.contexts = patch.categories ?? []
        draft.due = patch.due
        draft.start = patch.start
        draft.priority = patch.priority ?? 0
        return draft
    }
}

extension Todo {
    /// The contexts after removing and adding some. Ignores case.
    public static func contexts(_ old: [String], removing gone: [String], adding new: [String]) -> [String] {
        let gone = Set(gone.map { $0.lowercased() })
        let kept = old.filter { !gone.contains($0.lowercased()) }
        let have = Set(kept.map { $0.lowercased() })
        return kept + new.filter { !have.contains($0.lowercased()) }
    }
}

public import Models

/// Describes a step on one line. Names of mailboxes and tasks are not escaped: escape them before printing.
public enum StepWords {
    /// `time`: how a time is written; as in documents unless another form is given.
    public static func of(
        _ kind: Step.Kind, time: (Timestamp) -> String = { $0.rfc3339 }
    ) -> String {
        switch kind {
        case .createTodo(let todo): "write task “\(todo.summary)”"
        case .updateTodo: "change a task"
        case .removeTodo: "remove a task"
        case .restoreTodo: "restore a task"
        case .remove: "remove a draft or a copy made by opus"
        case .append(to: let mailbox, message: _, flags: _, token: _):
            "put a message into \(mailbox.displayName)"
        case .submit(reversePath: _, forwardPaths: let paths, message: _, token: _):
            "send to \(paths.joined(separator: ", "))"
        case .store: "change flags or labels"
        case .wait(until: .some(let until), before: _): "defer until \(until.time.map(time) ?? until.word)"
        case .wait(until: nil, before: _): "end the deferral"
        case .move(_, to: let mailbox): "move to \(mailbox.displayName)"
        case .saveFile(section: _, let folder, let name):
            "save \(SavedFiles.path(name, in: folder))"
        case .removeFile(let path, digest: _): "remove \(path)"
        case .list(let list, let entry, isListed: true): "add \(entry) to \(list.path)"
        case .list(let list, let entry, isListed: false): "take \(entry) out of \(list.path)"
        case .createMailbox(let mailbox): "make the mailbox \(mailbox.displayName)"
        case .editThreads(let change): words(change)
        }
    }

    /// Describes the inverse of a step.
    public static func inverse(
        _ kind: Step.Kind, time: (Timestamp) -> String = { $0.rfc3339 }
    ) -> String {
        switch kind {
        case .createTodo, .restoreTodo: "restore the task file"
        case .updateTodo: "cancel the task"
        case .removeTodo: "remove the task file"
        case .store: "restore flags or labels"
        case .move(_, to: let mailbox): "move back to \(mailbox.displayName)"
        case .append, .submit, .remove, .wait, .saveFile, .removeFile, .list, .createMailbox,
            .editThreads:
            of(kind, time: time)
        }
    }

    private static func words(_ change: ThreadChange) -> String {
        let joins = change.added.contains {
            if case .join = $0 { return true }
            return false
        }
        if joins { return "join threads" }
        return change.added.isEmpty ? "show a thread as it was" : "split a thread"
    }
}

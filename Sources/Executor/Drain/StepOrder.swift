import Models

/// Which steps belong together, and which steps are pointless if another step did not happen.
extension Step {
    /// What the steps of one request have in common.
    enum Subject: Hashable {
        case message(EmailID)
        /// A mail of the user: its submission, its copy in Sent and its draft share the Message-ID.
        case mail(MessageID)
        /// The list of deferred messages that opus keeps in the account.
        case deferredList

        var message: EmailID? {
            if case .message(let id) = self { return id }
            return nil
        }
    }

    var subjects: [Subject] {
        var subjects = message.map { [Subject.message($0)] } ?? []
        switch kind {
        case .append(_, _, _, let token), .submit(_, _, _, let token), .remove(_, let token, _):
            subjects.append(.mail(token))
        case .createTodo, .updateTodo, .removeTodo, .restoreTodo, .store, .move, .wait, .saveFile,
            .removeFile, .list, .createMailbox,
            .editThreads:
            break
        }
        if cause == .deferredList { subjects.append(.deferredList) }
        return subjects
    }

    var writesTask: Bool {
        switch kind {
        case .createTodo, .updateTodo, .removeTodo, .restoreTodo: true
        case .append, .submit, .store, .move, .remove, .wait, .saveFile, .removeFile, .list, .createMailbox,
            .editThreads:
            false
        }
    }

    /// Whether this step is pointless if the other one did not happen.
    ///
    /// All steps of a message follow its task, its saved files, its draft or its submission. The removal of an old list of
    /// deferred messages follows the new one. Only its own move follows its marks and the list that its sender joins. Of
    /// other messages of the conversation, only moves follow a task.
    func follows(_ other: Step) -> Bool {
        switch (other.kind, kind) {
        case (.createTodo, .move), (.updateTodo, .move), (.removeTodo, .move), (.restoreTodo, .move): true
        // A mail can be sent without its draft, and the user may move a message of which a rule can make no copy.
        case (.append, .submit): false
        case (.append, .move) where cause.isByHand && other.cause.rule != nil: false
        case (.createTodo, _), (.updateTodo, _), (.removeTodo, _), (.restoreTodo, _), (.append, _),
            (.submit, _), (.saveFile, _):
            !Set(subjects).isDisjoint(with: other.subjects) && (order, id ?? 0) > (other.order, other.id ?? 0)
        case (.store(let marked, _, _, _, _), .move(let moved, to: _)): marked == moved
        case (.list, .move): message == other.message
        case (.store, _), (.move, _), (.remove, _), (.wait, _), (.removeFile, _), (.list, _),
            (.createMailbox, _), (.editThreads, _):
            false
        }
    }

    /// The order of steps in a drain.
    private var order: Int {
        switch kind {
        case .createTodo, .updateTodo, .removeTodo, .restoreTodo, .wait: 0
        case .saveFile, .removeFile, .list, .createMailbox,
            .editThreads:
            1
        case .append, .submit: 2
        case .store: 3
        case .move: 4
        case .remove: 5
        }
    }

    func settled(_ state: Step.State, error: String? = nil, hold: Step.Hold? = nil) -> Step {
        var copy = self
        copy.state = state
        copy.error = error
        copy.hold = hold
        // A step that happened in the end.
        if state != .ready, copy.proof?.kind == .lost { copy.proof = nil }
        return copy
    }
}

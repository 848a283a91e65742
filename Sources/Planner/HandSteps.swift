public import Models

/// Single steps of commands that are not part of a plan of actions.
public struct HandSteps: Sendable {
    /// The verb of the command in the journal.
    private let verb: String
    /// Its ``StepContext/token`` identifies the command, so that the same request in another command is a new
    /// one.
    private let context: StepContext

    public init(verb: String, context: StepContext) {
        self.verb = verb
        self.context = context
    }

    /// Adds a sender to a list of the workspace, or removes it. `message`: the message that the decision is
    /// about.
    public func list(
        _ sender: EmailAddress, _ list: SenderList, isListed: Bool, message: EmailID?
    ) -> Step {
        step(
            isListed ? "list" : "unlist", list.rawValue + " " + sender.comparable, message,
            .list(list, entry: sender.addrSpec, isListed: isListed))
    }

    /// Opens a completed task again.
    public func reopen(_ todo: TodoID, on list: GTDList, message: EmailID?) -> Step {
        var patch = TodoPatch(status: .needsAction)
        patch.list = list
        return step("updateTodo", todo.rawValue, message, .updateTodo(todo, patch))
    }

    /// Removes a task file that has not changed.
    public func removal(of file: TodoFile) -> Step {
        step("removeTodo", file.todo.id.rawValue, nil, .removeTodo(file.todo.id, digest: file.digest))
    }

    /// Moves a message from one place to another mailbox.
    public func move(_ message: EmailID, _ key: MessageKey, to mailbox: Mailbox) -> Step {
        Planning.moveStep(
            message, key, to: mailbox, cause: .hand(verb), context: context, token: context.token)
    }

    /// Defers a deferred message until another time.
    public func wait(_ message: EmailID, until: DeferredUntil, before: DeferredUntil) -> Step {
        step("wait", until.word, message, .wait(until: until, before: before))
    }

    private func step(_ name: String, _ target: String, _ message: EmailID?, _ kind: Step.Kind) -> Step {
        Step(
            idempotencyKey: IdempotencyKey.make(
                account: context.account, message: message, kind: name, target: target, rule: verb,
                token: context.token),
            message: message, cause: .hand(verb), kind: kind)
    }
}

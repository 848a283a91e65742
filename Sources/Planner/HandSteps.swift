public import Models

/// Single steps of commands by hand that no plan of actions has.
public struct HandSteps: Sendable {
    /// The command, as it is in the journal.
    private let verb: String
    /// Its ``StepContext/token`` names the command, so that the same wish in another command is a new one.
    private let context: StepContext

    public init(verb: String, context: StepContext) {
        self.verb = verb
        self.context = context
    }

    /// A sender is put into a list of the workspace, or taken out. `message`: what it was decided on.
    public func list(
        _ sender: EmailAddress, _ list: SenderList, isListed: Bool, message: EmailID?
    ) -> Step {
        step(
            isListed ? "list" : "unlist", list.rawValue + " " + sender.comparable, message,
            .list(list, entry: sender.addrSpec, isListed: isListed))
    }

    /// A closed task is opened again.
    public func reopen(_ todo: TodoID, on list: GTDList, message: EmailID?) -> Step {
        var patch = TodoPatch(status: .needsAction)
        patch.list = list
        return step("updateTodo", todo.rawValue, message, .updateTodo(todo, patch))
    }

    /// A message goes from one place to another mailbox.
    public func move(_ message: EmailID, _ key: MessageKey, to mailbox: Mailbox) -> Step {
        Planning.moveStep(
            message, key, to: mailbox, cause: .hand(verb), context: context, token: context.token)
    }

    private func step(_ name: String, _ target: String, _ message: EmailID?, _ kind: Step.Kind) -> Step {
        Step(
            idempotencyKey: IdempotencyKey.make(
                account: context.account, message: message, kind: name, target: target, rule: verb,
                token: context.token),
            message: message, cause: .hand(verb), kind: kind)
    }
}

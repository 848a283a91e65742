public import Models

extension Planning {
    /// The steps of a follow plan for the journal of one account.
    ///
    /// - Parameters:
    ///   - plan: Actions of other accounts are ignored.
    ///   - context: The account's mailboxes.
    /// - Returns: Moves, changed deferrals and marks.
    public static func work(for plan: FollowPlan, context: StepContext) -> QueuedWork {
        var work = QueuedWork()
        for action in plan.actions where action.account == context.account {
            switch action.effect {
            case .archive: move(action, to: context.mailbox(for: .archive), context, &work)
            case .trash: move(action, to: context.mailbox(for: .trash), context, &work)
            case .backToInbox: move(action, to: context.inbox, context, &work)
            case .deferUntil(let until): wait(action, until, context, &work)
            case .mark(let add, let remove): mark(action, add, remove, context, &work)
            }
        }
        return work
    }

    private static func move(
        _ action: FollowAction, to destination: Mailbox, _ context: StepContext, _ work: inout QueuedWork
    ) {
        for placement in action.placements {
            if context.isMailbox(placement.mailbox, .deferred) { end(placement, action, context, &work) }
            work.steps.append(moveStep(placement, to: destination, action, context))
        }
    }

    /// Moves the message to the deferred mailbox, unless it is already there, and sets its due date.
    private static func wait(
        _ action: FollowAction, _ until: DeferredUntil, _ context: StepContext, _ work: inout QueuedWork
    ) {
        for placement in action.placements {
            let before = action.deferrals[placement.message]
            if before != until {
                work.steps.append(step(placement, action, .wait(until: until, before: before), context))
            }
            let deferred = context.mailbox(for: .deferred)
            guard !context.stays(placement, in: .deferred) else { continue }
            work.steps.append(moveStep(placement, to: deferred, action, context))
        }
    }

    /// A separate step, so that undo can restore the due date.
    private static func end(
        _ placement: MessagePlace, _ action: FollowAction, _ context: StepContext, _ work: inout QueuedWork
    ) {
        guard let before = action.deferrals[placement.message] else { return }
        work.steps.append(step(placement, action, .wait(until: nil, before: before), context))
    }

    private static func mark(
        _ action: FollowAction, _ add: Set<Keyword>, _ remove: Set<Keyword>, _ context: StepContext,
        _ work: inout QueuedWork
    ) {
        for placement in action.placements {
            let kind = Step.Kind.store(
                placement.key, addFlags: [], removeFlags: [], addKeywords: add, removeKeywords: remove)
            work.steps.append(step(placement, action, kind, context))
        }
    }

    private static func moveStep(
        _ placement: MessagePlace, to destination: Mailbox, _ action: FollowAction, _ context: StepContext
    ) -> Step {
        moveStep(
            placement.message, placement.key, to: destination, cause: .task(action.verb), context: context,
            token: token(action))
    }

    private static func step(
        _ placement: MessagePlace, _ action: FollowAction, _ kind: Step.Kind, _ context: StepContext
    ) -> Step {
        let name: String
        switch kind {
        case .wait(let until, before: _): name = "wait " + (until?.word ?? "")
        case .store, .createTodo, .updateTodo, .removeTodo, .restoreTodo, .append, .submit, .move, .remove,
            .saveFile, .removeFile, .list, .createMailbox,
            .editThreads:
            name = "store"
        }
        return Step(
            idempotencyKey: IdempotencyKey.make(
                account: context.account, message: placement.message, kind: name,
                target: placeText(placement.key), rule: action.verb.rawValue, token: token(action)),
            message: placement.message, cause: .task(action.verb), kind: kind)
    }

    private static func token(_ action: FollowAction) -> String {
        action.todo.rawValue + " " + action.changeToken
    }
}

extension Planning {
    /// A change of a task because of mail. Its key includes what the task says, as a wait may be overdue more than once.
    public static func replyStep(
        _ patch: TodoPatch, on todo: Todo, messages: [EmailID], account: AccountID
    ) -> Step {
        let target = todo.id.rawValue + " " + messages.map(\.rawValue).sorted().joined(separator: " ")
        let content = [todo.notes, patch.notes, todo.status.rawValue, todo.start?.text, todo.due?.text]
        return Step(
            idempotencyKey: IdempotencyKey.make(
                account: account, message: nil, kind: "note", target: target, rule: Step.Cause.reply.name,
                token: content.map { $0 ?? "" }.joined(separator: "\n")),
            message: nil, cause: .reply, kind: .updateTodo(todo.id, patch))
    }
}

public import Models

extension Planner {
    /// Edited task files -> what follows for mail.
    ///
    /// | change | while the mail is | follows |
    /// |---|---|---|
    /// | completed | in the inbox or deferred | the thread is archived, its wait ends |
    /// | completed | elsewhere, or the thread has another open task | nothing, or a notice |
    /// | reopened | in the archive, and not deferred | the message comes back |
    /// | start set or moved | deferred | it waits until then; comes back when that is past |
    /// | start removed | deferred | it comes back |
    /// | deleted while open, cancelled, moved to someday | anywhere | a notice |
    /// | added, deleted when closed, edited, moved elsewhere | anywhere | nothing |
    public static func decide(
        changes: [TodoChange], links: [TodoID: LinkedMail], context: FollowContext
    ) -> FollowPlan {
        var plan = FollowPlan()
        var finished: Set<TodoID> = []
        for change in changes {
            if case .completed(let todo) = change { finished.insert(todo.id) }
        }
        for change in changes {
            guard let mail = links[change.todo.id], let account = context.accounts[mail.account] else {
                continue
            }
            let follow = Follow(
                change: change, mail: mail, account: account, context: context, finished: finished)
            follow.decide(&plan)
        }
        plan.removeRepeatedMoves()
        return plan
    }
}

/// One change of one task.
private struct Follow {
    let change: TodoChange
    let mail: LinkedMail
    let account: StepContext
    let context: FollowContext
    let finished: Set<TodoID>

    private var todo: Todo { change.todo }

    func decide(_ plan: inout FollowPlan) {
        switch change {
        case .completed: complete(&plan)
        case .reopened: reopen(&plan)
        case .startChanged: startChanged(&plan)
        case .cancelled: plan.notices.append(FollowNotice(.cancelled, todo))
        case .deleted(_, wasOpen: true): plan.notices.append(FollowNotice(.deletedOpen, todo))
        case .movedList(_, from: _):
            if todo.list == .someday { plan.notices.append(FollowNotice(.someday, todo)) }
        case .added, .edited, .deleted(_, wasOpen: false): break
        }
    }

    private func complete(_ plan: inout FollowPlan) {
        let waitingMail = mail.placements.filter { isIn($0, .inbox) || isIn($0, .deferred) }
        guard !waitingMail.isEmpty else { return }
        guard mail.openTodos.allSatisfy({ finished.contains($0) || $0 == todo.id }) else {
            plan.notices.append(FollowNotice(.otherTaskOpen, todo))
            return
        }
        plan.actions.append(action(.archive, waitingMail, "task done"))
    }

    private func reopen(_ plan: inout FollowPlan) {
        let own = mail.placements.filter { $0.message == mail.message }
        // On Gmail the archive shows deferred mail too.
        guard !own.contains(where: { isIn($0, .inbox) || isIn($0, .deferred) }),
            let archived = own.first(where: { isIn($0, .archive) })
        else { return }
        plan.actions.append(action(.backToInbox, [archived], "task reopened"))
    }

    private func startChanged(_ plan: inout FollowPlan) {
        let deferred = mail.placements.filter { isIn($0, .deferred) }
        guard mail.deferral != nil, !deferred.isEmpty, todo.isOpen else { return }
        let start = todo.start.map { ReturnTime.instant($0, timeZone: todo.timeZone ?? context.timeZone) }
        if let start, start > context.now {
            guard start != mail.deferral else { return }
            plan.actions.append(action(.deferUntil(start), deferred, "task start"))
        } else {
            plan.actions.append(action(.backToInbox, deferred, "task start"))
        }
    }

    private func isIn(_ placement: Planner.Placement, _ role: MailboxRole) -> Bool {
        account.isMailbox(placement.mailbox, role)
    }

    private func action(_ effect: FollowAction.Effect, _ placements: [Planner.Placement], _ verb: String)
        -> FollowAction
    {
        FollowAction(
            todo: todo.id, summary: todo.summary, account: mail.account, thread: mail.thread,
            message: mail.message, effect: effect, placements: placements, verb: verb,
            changeToken: context.changeTokens[todo.id] ?? "")
    }
}

extension FollowPlan {
    /// Two tasks of one thread may ask for the same message: the first one has it.
    fileprivate mutating func removeRepeatedMoves() {
        var seen: Set<MessageKey> = []
        actions = actions.compactMap { action in
            var action = action
            action.placements = action.placements.filter { seen.insert($0.key).inserted }
            return action.placements.isEmpty ? nil : action
        }
    }
}

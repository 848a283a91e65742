public import Models

extension Planning {
    /// The changes of mail that follow from edited task files:
    ///
    /// | change of the task | place of its mail | effect on the mail |
    /// |---|---|---|
    /// | completed, cancelled | in the inbox or deferred | it is archived (or as configured in the workspace); its deferral ends |
    /// | completed, cancelled | elsewhere, or the thread has another open task | nothing, or a notice |
    /// | reopened | where completing the task had moved it | it comes back to the inbox, or is deferred again if the task starts later or is for someday |
    /// | start set or moved | in the inbox or archived by its list, the task scheduled or waiting | it is deferred until the start, unless that is past |
    /// | start set or moved | deferred | it is deferred until the start, and comes back if that is past |
    /// | start removed | deferred with a date | it comes back |
    /// | moved to waiting | in the inbox or deferred | it is deferred until the start; without a start in the future, it is archived, with a notice if the task has no contact |
    /// | moved to scheduled | in the inbox, deferred, or archived by its list | it is deferred until the start; without a start in the future, it stays, with a notice |
    /// | moved to someday | in the inbox, deferred, or archived by its list | it is deferred without a date |
    /// | moved to another list | where its list had moved it | it comes back to the inbox |
    /// | category added or removed | not in the trash | a keyword is added or removed, if the server keeps keywords |
    /// | several categories gone at once and none left, or the last one gone together with another change | anywhere | a notice: usually a program did it, not the user |
    /// | deleted while open | anywhere | a notice |
    /// | added, deleted when closed, otherwise edited | anywhere | nothing |
    ///
    /// No mail is sent. An action that moves mail to the trash waits until the user confirms it
    /// (``FollowAction/needsWord``).
    public static func decide(
        changes: [TodoChange], links: [TodoID: LinkedMail], context: FollowContext
    ) -> FollowPlan {
        var plan = FollowPlan()
        var finished: Set<TodoID> = []
        for change in changes {
            switch change {
            case .completed(let todo), .cancelled(let todo): finished.insert(todo.id)
            case .added, .reopened, .startChanged, .movedList, .edited, .deleted: break
            }
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
        case .completed: finish(context.whenDone, .done, &plan)
        case .cancelled: finish(context.whenCancelled, .cancelled, &plan)
        case .reopened: reopened(&plan)
        case .startChanged: startChanged(&plan)
        case .movedList(_, let list): movedList(from: list, &plan)
        case .edited: categoriesChanged(&plan)
        case .deleted(_, wasOpen: true): plan.notices.append(FollowNotice(.deletedOpen, todo))
        case .added, .deleted(_, wasOpen: false): break
        }
    }

    // MARK: Completed and reopened

    private func finish(_ wish: FinishedMail, _ verb: TaskChange, _ plan: inout FollowPlan) {
        guard !waitingMail.isEmpty else { return }
        guard wish != .keep else {
            plan.notices.append(FollowNotice(.kept, todo))
            return
        }
        guard isLast(&plan, .otherTaskOpen) else { return }
        plan.actions.append(action(wish == .trash ? .trash : .archive, waitingMail, verb))
    }

    /// Returns the mail that the task had moved, or defers it again if its task is for later.
    private func reopened(_ plan: inout FollowPlan) {
        guard let until = returnTime else { return comeBack(.reopened, &plan) }
        let archived = putAwayMail
        guard todo.isOpen, !archived.isEmpty else { return }
        plan.actions.append(action(.deferUntil(until), archived, .reopened))
    }

    /// nil: the mail of the task belongs in the inbox now.
    private var returnTime: DeferredUntil? {
        switch todo.list {
        case .someday: .someday
        case .scheduled, .waiting: start.flatMap { $0 > context.now ? .time($0) : nil }
        case _: nil
        }
    }

    /// Returns the mail that the task had moved, if it is still in that mailbox.
    private func comeBack(_ verb: TaskChange, from list: GTDList? = nil, _ plan: inout FollowPlan) {
        guard todo.isOpen else { return }
        let putAway = mail.placements.filter { isPutAway($0) || isDeferred($0, for: list) }
        if !putAway.isEmpty { plan.actions.append(action(.backToInbox, putAway, verb)) }
    }

    // MARK: Start dates

    private var start: Timestamp? {
        todo.start.map { ReturnTime.instant($0, timeZone: todo.timeZone ?? context.timeZone) }
    }

    private func startChanged(_ plan: inout FollowPlan) {
        guard todo.isOpen else { return }
        let deferred = ownPlacements.filter { isIn($0, .deferred) }
        if let start, start > context.now {
            if todo.list == .scheduled || todo.list == .waiting, deferred.isEmpty {
                return wait(.start, else: nil, &plan)
            }
            let others = deferred.filter { mail.deferrals[$0.message] != .time(start) }
            if !others.isEmpty { plan.actions.append(action(.deferUntil(.time(start)), others, .start)) }
        } else if !deferred.isEmpty, start != nil || mail.deferrals.values.contains(where: { $0.time != nil })
        {
            plan.actions.append(action(.backToInbox, deferred, .start))
        }
    }

    // MARK: Lists

    private func movedList(from old: GTDList, _ plan: inout FollowPlan) {
        guard todo.isOpen else { return }
        switch todo.list {
        case .waiting: wait(.waiting, else: .archive, &plan)
        case .scheduled: wait(.scheduled, else: nil, &plan)
        case .someday:
            let movable = waitingMail + putAwayMail
            guard !movable.isEmpty, isLast(&plan, .otherTaskOpen) else { return }
            plan.actions.append(action(.deferUntil(.someday), movable, .someday))
        case _: comeBack(.list, from: old, &plan)
        }
    }

    private func wait(
        _ verb: TaskChange, else other: FollowAction.Effect?, _ plan: inout FollowPlan
    ) {
        // An answer that the user has not read stays.
        let waitingMail = self.waitingMail.filter {
            verb != .waiting || $0.message == mail.message || $0.flags.contains(.seen)
        }
        let movable = waitingMail + putAwayMail
        guard !movable.isEmpty, isLast(&plan, .otherTaskOpen) else { return }
        if let start, start > context.now {
            plan.actions.append(action(.deferUntil(.time(start)), movable, verb))
        } else if let other {
            guard !waitingMail.isEmpty else { return }
            plan.actions.append(action(other, waitingMail, verb))
            if todo.contact == nil, todo.waitingOn == nil {
                plan.notices.append(FollowNotice(.waitsForNobody, todo))
            }
        } else {
            plan.notices.append(FollowNotice(.scheduledWithoutStart, todo))
        }
    }

    // MARK: Categories

    private func categoriesChanged(_ plan: inout FollowPlan) {
        guard let before = context.before[todo.id] else { return }
        let old = Set(before.categories.map { Keyword($0) })
        let new = Set(todo.categories.map { Keyword($0) })
        guard old != new else { return }
        guard !new.isEmpty || old.count < 2, !isRewritten(before) else {
            plan.notices.append(FollowNotice(.categoriesGone, todo))
            return
        }
        let kept = { (words: Set<Keyword>) in words.filter { Keyword.isValid($0.rawValue) } }
        let added = new.subtracting(old)
        if kept(added) != added { plan.notices.append(FollowNotice(.noLabel, todo)) }
        let own = mail.placements.filter { $0.message == mail.message && !isIn($0, .trash) }
        let effect = FollowAction.Effect.mark(
            add: kept(added), remove: kept(old.subtracting(new)))
        guard effect != .mark(add: [], remove: []), !own.isEmpty else { return }
        plan.actions.append(action(effect, own, .categories))
    }

    /// A program that rewrites the whole file and loses the last category usually changes other fields, too.
    /// A user who removes a category changes nothing else.
    private func isRewritten(_ before: Todo) -> Bool {
        guard todo.categories.isEmpty else { return false }
        var rest = todo
        rest.categories = before.categories
        return rest != before
    }

    // MARK: Helpers

    private var ownPlacements: [MessagePlace] {
        mail.placements.filter { !mail.others.contains($0.message) }
    }

    /// The mail of the task that is in the inbox or deferred.
    private var waitingMail: [MessagePlace] {
        ownPlacements.filter { isIn($0, .inbox) || isIn($0, .deferred) }
    }

    /// The mail that a task had moved elsewhere and that is still there, such as the archived mail of a task that waited
    /// without a day to ask again.
    private var putAwayMail: [MessagePlace] {
        let waiting = Set(waitingMail.map(\.message))
        return mail.placements.filter {
            isPutAway($0) && !isIn($0, .deferred) && !waiting.contains($0.message)
        }
    }

    private func isPutAway(_ placement: MessagePlace) -> Bool {
        mail.putAway[placement.message] == placement.mailbox.name
    }

    /// Whether the mail of the task is deferred as this list asks for it. A lost store no longer knows that the task did it.
    private func isDeferred(_ placement: MessagePlace, for list: GTDList?) -> Bool {
        guard isIn(placement, .deferred), !mail.others.contains(placement.message) else { return false }
        switch list {
        case .someday: return mail.deferrals[placement.message] == .someday
        case .scheduled, .waiting:
            return start.map { mail.deferrals[placement.message] == .time($0) } ?? false
        default: return false
        }
    }

    /// Whether the task is the last open one of the thread; if not, adds a notice.
    private func isLast(_ plan: inout FollowPlan, _ notice: FollowNotice.Kind) -> Bool {
        if mail.openTodos.allSatisfy({ finished.contains($0) || $0 == todo.id }) { return true }
        plan.notices.append(FollowNotice(notice, todo))
        return false
    }

    private func isIn(_ placement: MessagePlace, _ role: MailboxRole) -> Bool {
        account.isMailbox(placement.mailbox, role)
    }

    private func action(
        _ effect: FollowAction.Effect, _ placements: [MessagePlace], _ verb: TaskChange
    ) -> FollowAction {
        FollowAction(
            todo: todo.id, summary: todo.summary, account: mail.account, thread: mail.thread,
            message: mail.message, effect: effect, placements: placements, deferrals: mail.deferrals,
            verb: verb, changeToken: context.changeTokens[todo.id] ?? "")
    }
}

extension FollowPlan {
    /// Two tasks of one thread may request a move of the same message: only the first request is kept.
    public mutating func removeRepeatedMoves() {
        var seen: Set<MessageKey> = []
        actions = actions.compactMap { action in
            guard action.effect.isMove else { return action }
            var action = action
            action.placements = action.placements.filter { seen.insert($0.key).inserted }
            return action.placements.isEmpty ? nil : action
        }
    }
}

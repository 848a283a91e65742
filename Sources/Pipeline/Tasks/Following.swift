import Accounts
import MIMEParser
import MailStore
public import Models
import Planner
import TaskStore

/// Applies changes of task files to mail, and returns deferred messages that are due.
public struct Following: Sendable {
    let workspace: Workspace
    let accounts: AccountAccess
    let store: Store
    let tasks: TaskFiles
    let loader: FactLoader
    let taskChanges: TaskChanges
    let brakes: BrakeCheck
    let undo: Undoing
    let deferrals: DeferralRounds
    let replies: ReplyNotes
    let nudges: NudgeDrafts
    let runner: JournalRunner
    let clock: SessionClock
    let zone: ZoneClock
    /// Of a watch, for drafts that another program has just removed.
    var grace: Grace<MessageID>?

    /// Compares the task folder with the stored versions, moves the mail of changed tasks, returns due
    /// messages, and notes changes of mail in the tasks.
    ///
    /// `agree` is asked before mail is moved to the trash, before many messages are moved at once, and before
    /// a file decides about mail that opus did not link to it. `rules`: those that the same command applies afterwards.
    public func taskEdits(
        for ids: [AccountID], allowMassDelete: Bool, before rules: AppliedRules? = nil,
        agree: (FollowQuestion) throws -> Answer = { _ in .later }
    ) async throws -> FollowReport {
        var report = FollowReport()
        try taskChanges.finishRuns()
        let known = try store.todos.todoFiles()
        try TaskLinks.verify(store, files: known)
        var scan = try Problem.wrap {
            try tasks.scan(known: known, now: clock.now, allowMassDelete: allowMassDelete)
        }
        let refused = try RefusedTaskMail(store: store).changes(of: ids, scan)
        let held = try HeldBackTaskMail(store: store).changes(scan).filter { change in
            !refused.contains { $0.todo.id == change.todo.id }
        }
        let again = refused + held
        scan.changes += again
        report.malformed = scan.malformed.map { "tasks/\($0.path):\($0.line): \($0.reason)" }
        let everywhere = workspace.accounts.map(\.id)
        let own = OwnAddressSet(workspace.addresses)
        var links = try TaskLinks(scan, store: store, accounts: everywhere, own: own, now: clock.now)
        let replaced = ReplacedMoves(store: store, accounts: ids)
        if try replaced.cancel(by: links, files: scan.files) {
            links = try TaskLinks(scan, store: store, accounts: everywhere, own: own, now: clock.now)
        }
        links.place(at: try replaced.destinations())
        let contexts = try Dictionary(
            uniqueKeysWithValues: workspace.accounts.map { ($0.id, try accounts.decisionContext($0)) })
        let context = followContext(contexts, scan, known)
        var plan = Planning.decide(changes: links.changes, links: links.mail, context: context)
        let undone = try UndoneTaskMail(store: store).todos(among: scan)
        plan.actions.removeAll { $0.effect.isMove && undone.contains($0.todo) }
        // The first run has reported them.
        let reported = Set(again.map(\.todo.id))
        plan.notices.removeAll { reported.contains($0.todo) }
        var claims = Planning.decide(changes: links.changes, links: links.claimed, context: context)
        let fixed = Set(
            try workspace.accounts.map(\.id).filter { try store.accounts.moveAbility(of: $0) == .no })
        plan.keepInPlace(fixed)
        claims.keepInPlace(fixed)
        let forbidden = Set(workspace.accounts.filter { !$0.permissions.allows(.move) }.map(\.id))
        plan.keepInPlace(forbidden, because: .notAllowed)
        claims.keepInPlace(forbidden, because: .notAllowed)
        let isAsked = { (mail: LinkedMail?) in mail.map { ids.contains($0.account) } ?? true }
        var agreement = FollowAgreement(store: store, ids: ids, brake: brakes.limits)
        try agreement.settle(&plan, claims: claims, asking: agree)
        report.held = agreement.held
        report.isBraked = agreement.isBraked
        report.lines =
            plan.notices.filter { isAsked(links.mail[$0.todo]) }.map(\.text)
            + plan.actions.filter { ids.contains($0.account) }.map { FollowWords.line(for: $0, zone) }
        for id in ids {
            guard let context = contexts[id] else { continue }
            var run = try await followMail(plan, context: context, before: rules)
            report.lines += FollowWords.takeLabelsNotKept(from: &run)
            report.runs.append(run)
        }
        report.lines += try MailStillSent(store: store).lines(scan.changes, of: ids)
        report.returned = try ReturnedMail.all(
            broughtBackBy: report.runs.flatMap(\.drain.confirmed), store, labels: workspace.bundleLabels)
        // Saved only now: after a crash before this line, the next run finds the same changes again, and
        // their steps in the journal. Changes of other accounts, and changes that wait for an answer, are not
        // marked as seen.
        var later = agreement.waiting.union(
            links.changes.map(\.todo.id).filter { !isAsked(links.mail[$0]) })
        for pair in links.successions where later.contains(pair.new.id) { later.insert(pair.old) }
        let present = Set(scan.files.map(\.todo.id))
        let before = Dictionary(known.map { ($0.todo.id, $0) }) { first, _ in first }
        try links.note(later: later, at: clock.now)
        try store.todos.saveTodoFiles(
            scan.files.filter { !later.contains($0.todo.id) && before[$0.todo.id] != $0 },
            removing: known.map(\.todo.id).filter { !present.contains($0) && !later.contains($0) })
        report.lines += try ContextRepair(store: store, tasks: tasks, now: clock.now).repair(
            scan.changes.map(\.todo), ids, links: links.mail, later: later)
        for id in ids {
            guard let account = workspace.accounts.first(where: { $0.id == id }) else { continue }
            let unsent = try await unsentWaits(of: account).undo(
                among: scan.files.map(\.todo), grace: grace)
            report.lines += unsent.lines
            report.runs += unsent.runs
        }
        for id in ids {
            guard let account = workspace.accounts.first(where: { $0.id == id }) else { continue }
            report.lines += try await nudges.pickUp(account)
        }
        try await replies.note(
            for: ids, later: later,
            waiting: scan.files.map(\.todo).filter(Waits.mayWait).map(\.id), &report)
        for id in ids {
            guard let account = workspace.accounts.first(where: { $0.id == id }) else { continue }
            let settled = try await nudges.settle(account, before: before.mapValues(\.todo))
            report.lines += settled.lines
            report.runs += settled.runs
        }
        return report
    }

    /// Call after rules were applied: notes answers to the questions for which the rules have just made tasks. They came
    /// in the same sync. nil: the rules made no such task.
    func answers(after applied: RunReport) async throws -> FollowReport? {
        let made = applied.drain.confirmed.compactMap { step -> TodoID? in
            guard case .createTodo(let todo) = step.kind, Waits.mayWait(todo) else { return nil }
            return todo.id
        }
        guard !made.isEmpty else { return nil }
        var report = FollowReport()
        try await replies.note(for: [applied.account], later: [], waiting: made, &report)
        return report
    }

    func followContext(
        _ contexts: [AccountID: StepContext], _ scan: TaskScan, _ known: [TodoFile]
    ) -> FollowContext {
        let changed = Set(scan.changes.map(\.todo.id))
        let before = known.filter { changed.contains($0.todo.id) }.map { ($0.todo.id, $0.todo) }
        var context = FollowContext(
            now: clock.now, timeZone: workspace.timeZone, accounts: contexts,
            changeTokens: tokens(scan, known),
            before: Dictionary(before) { first, _ in first })
        context.whenDone = workspace.whenDone
        context.whenCancelled = workspace.whenCancelled
        return context
    }

    private func followMail(
        _ plan: FollowPlan, context: StepContext, before rules: AppliedRules?
    ) async throws -> RunReport {
        let account = try accounts.require(context.account)
        var work = Planning.work(for: plan, context: context)
        try await deferrals.settle(account, context)
        let returning = try deferrals.returning(of: account, context, before: rules)
        let moved = Set(work.steps.filter(\.kind.decidesPlace).compactMap(\.message))
        let isFree = { (message: EmailID?) in message.map { !moved.contains($0) } ?? true }
        work.steps += returning.steps.filter { isFree($0.message) }
        work.deferrals += returning.deferrals.filter { isFree($0.message) }
        return try await runner.carryOut(
            work, account: account, command: "run", asksWhenInterrupted: true, checksLists: true)
    }

    /// The version of each changed file: the same change made again later is a new request.
    private func tokens(_ scan: TaskScan, _ known: [TodoFile]) -> [TodoID: String] {
        var tokens: [TodoID: String] = [:]
        for file in known { tokens[file.todo.id] = file.digest }
        for file in scan.files { tokens[file.todo.id] = "\(file.digest) \(file.modifiedNanoseconds)" }
        return tokens
    }

    /// Call after drafts of the account were discarded: removes the tasks that waited for an answer to them.
    public func undoUnsentWaits(of id: AccountID) async throws -> [String] {
        try await unsentWaits(of: try accounts.require(id)).undo().lines
    }

    private func unsentWaits(of account: Account) -> UnsentWaits {
        UnsentWaits(
            store: store, loader: loader, undo: undo, accounts: accounts, tasks: tasks, runner: runner,
            own: workspace.addresses, account: account, clock: clock)
    }
}

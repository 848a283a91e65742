import Accounts
import Foundation
import MailStore
import Models
import Planner
import Rules

/// The weekly review: asks one question at a time about everything that may have been forgotten.
///
/// The questions are computed each time; ``ReviewState`` remembers which ones were answered. Each answer that
/// changes something is a separate run, which can be undone.
public struct Review: Sendable {
    let workspace: Workspace
    let store: Store
    let messages: Messages
    let byHand: HandCommands
    let taskMail: TaskMail
    let tasks: Tasks
    let taskChanges: TaskChanges
    let waits: Waits
    let deferrals: Deferrals
    let drafts: Drafts
    let draftsMailbox: DraftsMailbox
    let outbox: Outbox
    let rules: RuleTools
    let journal: Journal
    let undo: Undoing
    let clock: SessionClock
    let zone: ZoneClock

    /// After this many days, a next action is stale.
    public static let staleDays: Int64 = 14

    // MARK: State

    /// The current review, or a new one.
    public func state(restarting: Bool = false) -> ReviewState {
        (restarting ? nil : ReviewState.load(workspace.storeFolder, now: clock.now))
            ?? ReviewState(begun: clock.now)
    }

    public func save(_ state: ReviewState) throws { try state.save(workspace.storeFolder) }

    /// Ends the review; the next one starts from the beginning.
    public func finish() { ReviewState.remove(workspace.storeFolder) }

    // MARK: Questions

    /// All questions, answered or not. `inbox`: the number of messages that may stay in the inbox; there are
    /// questions about the oldest ones beyond it.
    public func items(account: String?, inbox goal: Int) throws -> [ReviewItem] {
        let (board, _) = try tasks.board()
        return try inboxItems(account, goal) + draftItems(account) + waitingItems(board) + nextItems(board)
            + projectItems(board)
            + board.files.filter { $0.todo.isOpen && $0.todo.list == .someday }.map {
                item(.someday, $0.todo)
            } + deferredItems(account) + ruleItems()
    }

    private func inboxItems(_ account: String?, _ goal: Int) throws -> [ReviewItem] {
        let lines = try messages.list(account: account, folder: nil, everywhere: false, matching: nil)
        let threads = Dictionary(grouping: lines, by: \.facts.thread)
        let oldest = lines.sorted { ($0.facts.received, $0.facts.id) < ($1.facts.received, $1.facts.id) }
        return oldest.prefix(max(0, lines.count - goal)).map { item(.inbox, $0, of: threads) }
    }

    private func deferredItems(_ account: String?) throws -> [ReviewItem] {
        let lines = try deferrals.list(account: account)
        let threads = Dictionary(grouping: lines, by: \.facts.thread)
        return lines.map { line in
            var item = item(.deferred, line, of: threads)
            for case .deferred(let until) in line.states {
                item.date = until.time.map { .instant($0) }
                if until == .someday { item.detail += ", someday" }
            }
            return item
        }
    }

    private func item(
        _ section: ReviewItem.Section, _ line: MessageLine, of threads: [ThreadID: [MessageLine]]
    ) -> ReviewItem {
        let facts = line.facts
        var item = ReviewItem(
            section: section, key: "mail \(facts.id)", id: facts.id.rawValue,
            title: facts.subject.isEmpty ? "(no subject)" : facts.subject,
            detail: facts.from.first?.name ?? "(no sender)", date: .instant(facts.received))
        item.mailbox = facts.key.mailbox
        item.conversation = Set(threads[facts.thread, default: []].map(\.facts.id))
        return item
    }

    private func draftItems(_ account: String?) throws -> [ReviewItem] {
        let waiting = try drafts.list(account: account).filter { $0.state != .sending }.map { draft in
            ReviewItem(
                section: .drafts, key: "draft \(draft.name)", id: draft.id, title: draft.subject,
                detail: "draft to " + (draft.to.first?.name ?? "no recipient"), date: .instant(draft.savedAt))
        }
        let stuck = try outbox.list(account: account).filter { $0.state != .sent && $0.state != .discarded }
        return waiting
            + stuck.map { mail in
                ReviewItem(
                    section: .drafts, key: "outbox \(mail.name)", id: mail.id, title: mail.subject,
                    detail: "in the outbox: \(mail.state.rawValue)", date: .instant(mail.queuedAt))
            }
    }

    private func waitingItems(_ board: TaskBoard) throws -> [ReviewItem] {
        let waiting = board.files.map(\.todo).filter { $0.isOpen && $0.list == .waiting }
        let states = try waits.all(waiting)
        return waiting.map { todo in
            var item = item(.waiting, todo)
            item.detail = todo.contact ?? todo.waitingOn ?? ""
            if let wait = states[todo.id] { item.detail += ", " + wait.state.rawValue }
            return item
        }
    }

    private func nextItems(_ board: TaskBoard) -> [ReviewItem] {
        let limit = clock.now - Self.staleDays * 86_400
        return board.files.map(\.todo).filter { todo in
            board.isAvailable(todo) && (todo.created.map { $0 < limit } ?? false)
        }.map { item(.next, $0) }
    }

    private func projectItems(_ board: TaskBoard) -> [ReviewItem] {
        board.projects().map(\.todo).filter { board.nextAction(of: $0.id) == nil }.map { item(.projects, $0) }
    }

    private func item(_ section: ReviewItem.Section, _ todo: Todo) -> ReviewItem {
        ReviewItem(
            section: section, key: "task \(todo.id)", id: todo.id.rawValue, title: todo.summary,
            detail: todo.list.rawValue, date: todo.due ?? todo.created.map { .instant($0) })
    }

    /// Rules that have never matched, and rules whose actions the user almost always undid.
    private func ruleItems() throws -> [ReviewItem] {
        let library = RuleLibrary.load(workspace)
        guard library.errors.isEmpty else { return [] }
        let findings = RuleFindings(workspace: workspace, store: store, now: clock.now)
        let unused = try findings.neglected(library).map { ($0, "has never matched") }
        let undone = try rules.statistics(library, account: nil).filter {
            $0.rule.isEnabled && $0.reversed > 1 && $0.reversed * 10 >= $0.hits * 8
        }.map { ($0.rule, "was undone \($0.reversed) of \($0.hits) times") }
        return (unused + undone).map { rule, words in
            ReviewItem(
                section: .rules, key: "rule \(rule.id)", id: rule.id, title: rule.id,
                detail: "\(words)  \(rule.file):\(rule.line)", date: nil)
        }
    }

    // MARK: Answers

    /// Executes an answer. `text`: the title that the user typed for ``ReviewChoice/action``.
    public func answer(_ item: ReviewItem, _ choice: ReviewChoice, text: String = "") async throws
        -> ReviewState.Answer
    {
        // `keep` changes nothing and runs without a lock, so a new run is one of another process.
        guard choice != .keep else {
            return ReviewState.Answer(key: item.key, section: item.section, choice: .keep, run: nil)
        }
        let before = try lastRun()
        let backup = try await carryOut(choice, item, text)
        let after = try journal.runs(limit: 1).first
        guard let run = after?.id.description, run != before else {
            return ReviewState.Answer(
                key: item.key, section: item.section, choice: choice, run: nil, backup: backup)
        }
        return ReviewState.Answer(
            key: item.key, section: item.section, choice: choice, run: run, backup: backup,
            waits: (after?.open ?? 0) > 0)
    }

    /// Adds a task for an idea of the user.
    public func add(_ title: String, in section: ReviewItem.Section) throws -> ReviewState.Answer {
        let todo = Tasks.new(title, on: .inbox, TodoPatch())
        _ = try taskChanges.add(todo, command: "review")
        return ReviewState.Answer(key: nil, section: section, choice: nil, run: try lastRun())
    }

    /// Undoes the last answer; its question is asked again. Throws if its result stays, and the answer with it. Returns
    /// whether there was one.
    public func takeBack(_ state: inout ReviewState) async throws -> Bool {
        guard let last = state.answers.last else { return false }
        if let backup = last.backup {
            try await restore(backup)
        } else if let run = last.run {
            let plan = try await undo.freshPlan(UndoRequest(run: run))
            if plan.changes == 0, let reason = plan.whatStays {
                throw Problem(
                    "not-done", exit: .someFailed, message: "not undone: \(reason)",
                    next: ["opus undo \(run)"])
            }
            if plan.changes > 0 {
                for report in try await undo.apply(plan) { try Self.requireDone(report) }
            }
        }
        state.answers.removeLast()
        try save(state)
        return true
    }

    private func lastRun() throws -> String? { try journal.runs(limit: 1).first?.id.description }

    private func carryOut(
        _ choice: ReviewChoice, _ item: ReviewItem, _ text: String
    ) async throws -> ReviewBackup? {
        switch item.section {
        case .inbox, .deferred: try await mail(choice, item)
        case .waiting, .next, .projects, .someday: try task(choice, item, text)
        case .drafts:
            if choice == .discard { return try await discard(item) }
            if choice == .task { try newTask("Send: " + item.title) }
        case .rules:
            if choice == .disable { return try disable(item) }
            if choice == .task { try newTask("Look at the rule \(item.title)") }
        }
        return nil
    }

    private func discard(_ item: ReviewItem) async throws -> ReviewBackup {
        let open = try await drafts.open(item.id)
        guard open.stored.content.count <= ReviewBackup.largestDraft else {
            throw Problem(
                "too-large", exit: .badData, message: "the draft is too large to be discarded in a review",
                next: ["opus drafts discard \(item.id)"])
        }
        try drafts.requireListed(open)
        let backup = ReviewBackup.draft(
            account: open.account.id.rawValue, messageID: open.stored.messageID.rawValue,
            revision: open.stored.revision, content: Data(open.stored.content))
        try Self.requireDone(await draftsMailbox.discard(open).report)
        return backup
    }

    private func disable(_ item: ReviewItem) throws -> ReviewBackup {
        let edit = try workspace.disabling(rule: item.id)
        guard let file = edit.files.first else {
            throw Problem("not-done", exit: .someFailed, message: "the rule is not enabled")
        }
        try edit.check()
        // Restores the modification date, so that the review still asks about the other rules of the file.
        let written = try FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate]
        try edit.write()
        if let written {
            try? FileManager.default.setAttributes([.modificationDate: written], ofItemAtPath: file.path)
        }
        return .rules(path: file.path, before: file.old, after: file.new)
    }

    private func restore(_ backup: ReviewBackup) async throws {
        switch backup {
        case .rules(let path, let before, let after):
            try AtomicFile.replace(path, old: after, new: before)
        case .draft(let account, let messageID, let revision, let content):
            var draft = StoredDraft(
                account: AccountID(account), messageID: MessageID(messageID), savedAt: clock.now,
                content: Array(content))
            // A new version, because the old one was removed from the Drafts mailbox.
            draft.revision = revision
            _ = try drafts.keep(drafts.opened(store.drafts.save(draft)))
            _ = try await draftsMailbox.push(of: AccountID(account), command: "review")
        }
    }

    private func mail(_ choice: ReviewChoice, _ item: ReviewItem) async throws {
        let effect: HandVerb.Effect
        switch choice {
        case .archive: effect = .archive
        case .trash: effect = .trash
        case .tomorrow: effect = .deferUntil("tomorrow")
        case .week: effect = .deferUntil("+1 week")
        case .someday: effect = .deferUntil("someday")
        case .back: effect = .cancelDeferral
        case .task:
            let title = try taskMail.title(ofMessage: item.id)
            try Self.requireDone(await taskMail.make(TodoDraft(summary: title), of: item.id))
            return
        case .keep, .done, .cancel, .next, .action, .discard, .disable: return
        }
        let verb = HandVerb(effect)
        let listed = item.mailbox.map { [EmailID(rawValue: item.id): $0] } ?? [:]
        for var plan in try byHand.plans(for: verb, ids: [item.id]) {
            for index in plan.items.indices {
                plan.items[index].threadKeys.removeAll { !item.conversation.contains($0.message) }
            }
            try ListedPlaces(store: store, mailboxes: listed).requireUnmoved(plan.items)
            if let protector = plan.items.compactMap(\.protectedBy).first {
                throw Problem(
                    "protected", exit: .someFailed, message: "a rule protects this message: \(protector)",
                    next: ["opus \(verb.name) ID --force"])
            }
            try Self.requireDone(await byHand.apply(plan, verb: verb))
        }
    }

    /// Steps that wait for the connection are queued: the next run does them.
    private static func requireDone(_ report: RunReport) throws {
        guard let failure = (report.drain.rejected + report.drain.undecided).first else { return }
        throw Problem(
            "not-done", exit: .someFailed, message: failure.reason ?? "the server refused the change",
            next: ["opus runs", "opus status"])
    }

    private func task(_ choice: ReviewChoice, _ item: ReviewItem, _ text: String) throws {
        let file = try tasks.task(item.id)
        var patch = TodoPatch()
        switch choice {
        case .done: patch = try taskChanges.completion(of: file)
        case .cancel: patch.status = .cancelled
        case .someday:
            patch.list = .someday
            if file.todo.start != nil { patch.clears = [.start] }
        case .next:
            patch.list = .next
            if file.todo.start != nil { patch.clears = [.start] }
        case .week:
            let day = TodoDate.date(zone.local(clock.now).date.adding(days: 7))
            patch = tasks.deferral(of: file.todo, to: day)
        case .action:
            var part = Tasks.new(text, on: .next, TodoPatch())
            part.parent = file.todo.id
            _ = try taskChanges.add(part, command: "review")
            return
        case .keep, .archive, .trash, .task, .tomorrow, .back, .discard, .disable: return
        }
        _ = try taskChanges.change(file, patch, command: "review")
    }

    private func newTask(_ title: String) throws {
        _ = try taskChanges.add(Tasks.new(title, on: .next, TodoPatch()), command: "review")
    }
}

import Accounts
import MailStore
import Models
import Planner
import TaskStore

/// When the user discards a draft, its wait is removed and the conversation returns to the inbox, because it
/// was not delegated.
struct UnsentWaits {
    let store: Store
    let loader: FactLoader
    let undo: Undoing
    let accounts: AccountAccess
    let tasks: TaskFiles
    let runner: JournalRunner
    /// Addresses of the user.
    let own: [EmailAddress]
    let account: Account
    let clock: SessionClock

    /// One line for each wait, for users; contains untrusted text. `todos`: if they are already known. `grace`: of a watch.
    func undo(
        among todos: [Todo]? = nil, grace: Grace<MessageID>? = nil
    ) async throws -> (lines: [String], runs: [RunReport]) {
        var lines: [String] = []
        var runs: [RunReport] = []
        let departures = Departures(store: store, loader: loader, own: own, account: account)
        for todo in try waits(todos ?? store.todos.todoFiles().map(\.todo)) {
            guard let token = todo.delegatedMessageID else { continue }
            guard try departures.fate(of: token, todo) == .discarded else {
                grace?.forget(token)
                continue
            }
            if let grace, grace.holds(token, at: clock.now) { continue }
            let effects: String
            if let (run, step) = try origin(of: token) {
                guard let plan = try plan(run, step) else { continue }
                runs += try await undo.apply(plan)
                effects = Self.effects(plan.inverses)
            } else {
                let steps = try stepsWithoutRun(todo, token)
                guard !steps.isEmpty else { continue }
                runs.append(
                    try await runner.carryOut(QueuedWork(steps: steps), account: account, command: Self.verb))
                effects = Self.effects(steps.map(\.kind))
            }
            grace?.forget(token)
            lines.append("the draft for task “\(todo.summary)” was discarded: \(effects)")
        }
        return (lines, runs)
    }

    private static let verb = "delegate"

    /// If another machine made the delegation, or this one before its store was lost, no run can be undone. But this store
    /// saw the draft, so the task is removed, and its mail comes back from the archive.
    private func stepsWithoutRun(_ todo: Todo, _ token: MessageID) throws -> [Step] {
        guard try store.messages.message(with: token, account: account.id) != nil,
            let file = try tasks.file(for: todo.id),
            let mail = try store.todos.links(for: [todo.id])[todo.id]?.message
        else { return [] }
        var context = try accounts.stepContext(account)
        context.token = try CommandToken.next(in: store)
        let steps = HandSteps(verb: Self.verb, context: context)
        let archived = try loader.facts(.ids([mail]), needs: []).filter {
            $0.key.account == account.id && context.isMailbox($0.mailbox, .archive)
        }
        return [steps.removal(of: file)]
            + archived.map { steps.move($0.id, $0.key, to: context.inbox) }
    }

    /// The step that made the draft, or the mail that a rule was to send and the user took out of the outbox. The mail of an
    /// undone run is left to that undo.
    private func origin(of token: MessageID) throws -> (run: RunID, step: Step)? {
        if let appended = try store.runs.appended(token, account: account.id) { return appended }
        let submission = try store.runs.submission(of: token, account: account.id)
        return submission?.step.hold == nil ? submission : nil
    }

    /// Describes the steps that take the delegation back.
    private static func effects(_ inverses: [Step.Kind]) -> String {
        let removes = inverses.contains { if case .removeTodo = $0 { true } else { false } }
        let moves = inverses.contains { if case .move = $0 { true } else { false } }
        return [removes ? "the task is removed" : nil, moves ? "its mail comes back" : nil]
            .compactMap(\.self).joined(separator: ", and ")
    }

    /// Open delegations of the account.
    private func waits(_ all: [Todo]) throws -> [Todo] {
        let todos = all.filter {
            $0.isOpen && $0.list == .waiting && $0.delegatedMessageID != nil
        }
        let links = try store.todos.links(for: todos.map(\.id))
        return todos.filter { links[$0.id]?.account == account.id }
    }

    /// The changes of the rule to the conversation in that run: its task, and its moves unless the mail was
    /// moved since.
    private func plan(_ run: RunID, _ step: Step) throws -> UndoPlan? {
        guard let message = step.message, let thread = try store.messages.detail(of: message)?.thread else {
            return nil
        }
        // The mail itself may be in no mailbox any more.
        let members = Set(try loader.facts(.thread(thread), needs: []).map(\.id)).union([message])
        var plan = try undo.plan(
            UndoRequest(run: run.description, rule: step.cause.name, isForced: true))
        plan.keep { item in
            guard item.step.message.map(members.contains) == true else { return false }
            switch item.step.kind {
            case .createTodo: return true
            case .move(_, let destination):
                guard case .inverse(let inverse) = item.answer, case .move(let place, to: _) = inverse.kind
                else { return false }
                return place.mailbox == destination.name
            case .updateTodo, .removeTodo, .restoreTodo, .append, .submit, .store, .remove, .wait, .saveFile,
                .removeFile, .list, .createMailbox,
                .editThreads:
                return false
            }
        }
        return plan.changes > 0 ? plan : nil
    }
}

extension UndoPlan {
    /// The steps that undo the run.
    fileprivate var inverses: [Step.Kind] {
        lines.compactMap { line in
            guard case .inverse(let kind) = line.fate else { return nil }
            return kind
        }
    }
}

import MailStore
import Models
import Planner

/// A question before mail is moved because of changed task files.
public struct FollowQuestion: Sendable {
    public enum Kind: Sendable {
        /// Whether to move the mail of a completed task to the trash.
        case trash
        /// Whether the task file may decide about mail that opus did not link to it. The subject is untrusted
        /// text.
        case link(subject: String)
        /// Whether to move more messages than `brakes.count` at once, because of this many tasks.
        case many(tasks: Int)
    }

    public var kind: Kind
    /// The title of the task, which is untrusted. Empty for several tasks.
    public var summary: String
    public var messages: Int
}

/// Asks the questions about a plan, and removes the actions that the user did not confirm.
struct FollowAgreement {
    let store: Store
    /// The accounts whose mail may be changed now.
    let ids: Set<AccountID>
    let brake: Brake

    typealias Ask = (FollowQuestion) throws -> Answer

    /// Tasks whose change waits for an answer.
    private(set) var waiting: Set<TodoID> = []
    /// One line for each held action, for users.
    private(set) var held: [String] = []
    /// Whether the brake holds the mail of many tasks.
    private(set) var isBraked = false

    init(store: Store, ids: [AccountID], brake: Brake) {
        self.store = store
        self.ids = Set(ids)
        self.brake = brake
    }

    /// `plan`: mail that opus linked. `claims`: mail that only the task files name.
    mutating func settle(_ plan: inout FollowPlan, claims: FollowPlan, asking ask: Ask) throws {
        plan.actions += try agreed(claims, ask)
        plan.removeRepeatedMoves()
        var wished: [FollowAction] = []
        for action in plan.actions where try isWished(action, ask) { wished.append(action) }
        plan.actions = wished
        try checkNumber(&plan, ask)
    }

    // MARK: Claims

    private mutating func agreed(_ claims: FollowPlan, _ ask: Ask) throws -> [FollowAction] {
        var answers: [TodoID: Bool] = [:]
        var agreed: [FollowAction] = []
        for action in claims.actions {
            guard ids.contains(action.account) else {
                waiting.insert(action.todo)
                continue
            }
            let isAgreed = try answers[action.todo] ?? mayDecide(action, ask)
            answers[action.todo] = isAgreed
            if isAgreed { agreed.append(action) }
        }
        return agreed
    }

    private mutating func mayDecide(_ action: FollowAction, _ ask: Ask) throws -> Bool {
        let known = try store.todos.claim(of: action.todo, to: action.message)
        if known == .no { return false }
        let subject = try store.messages.detail(of: action.message)?.subject ?? ""
        let question = FollowQuestion(
            kind: .link(subject: subject), summary: action.summary, messages: action.placements.count)
        switch try ask(question) {
        case .yes:
            try store.todos.linkTodo(
                action.todo, to: action.message, account: action.account, rule: "", basis: .agreed)
            return true
        case .no:
            try store.todos.answer(.no, claimOf: action.todo, to: action.message)
            held.append(FollowWords.declined(action))
        case .later:
            waiting.insert(action.todo)
            guard known == nil else { return false }
            // Reported once: opus asks again when the user can answer.
            try store.todos.answer(.open, claimOf: action.todo, to: action.message)
            held.append(FollowWords.unlinked(action))
        }
        return false
    }

    // MARK: Trash

    private mutating func isWished(_ action: FollowAction, _ ask: Ask) throws -> Bool {
        guard action.needsWord, ids.contains(action.account) else { return true }
        let question = FollowQuestion(
            kind: .trash, summary: action.summary, messages: action.placements.count)
        switch try ask(question) {
        case .yes: return true
        case .no: held.append(FollowWords.declined(action))
        case .later:
            waiting.insert(action.todo)
            held.append(FollowWords.held(action))
        }
        return false
    }

    // MARK: Many at once

    private mutating func checkNumber(_ plan: inout FollowPlan, _ ask: Ask) throws {
        let moving = plan.actions.filter { ids.contains($0.account) && $0.effect.isMove }
        guard let reason = brake.checkFollow(moving) else { return }
        let tasks = Set(moving.map(\.todo))
        let question = FollowQuestion(
            kind: .many(tasks: tasks.count), summary: "", messages: reason.moved)
        guard try ask(question) != .yes else { return }
        isBraked = true
        waiting.formUnion(tasks)
        plan.actions.removeAll { tasks.contains($0.todo) }
        held.append(reason.text + "; none of it was done (--allow-mass-move allows it)")
    }
}

import Accounts
import MailStore
public import Models
import Planner
import TodoCalendar

/// Tasks that are put off, and the mail behind them.
extension Session {
    /// What putting a task off means for its file; nil takes the start away.
    ///
    /// Tasks of the inbox and of next become scheduled. A due date that is not after the new start moves behind it.
    public func deferral(of todo: Todo, to start: TodoDate?) -> TodoPatch {
        var patch = TodoPatch()
        guard let start else {
            patch.clears = [.start]
            if todo.list == .scheduled { patch.list = .next }
            return patch
        }
        patch.start = start
        if todo.list == .inbox || todo.list == .next { patch.list = .scheduled }
        patch.due = todo.due.flatMap {
            DueAfterStart.moved($0, behind: start, timeZone: todo.timeZone ?? workspace.timeZone)
        }
        return patch
    }

    /// A file cannot hold a start that is not before its due date: one of the two would be lost.
    public func require(_ start: TodoDate, before due: TodoDate) throws {
        guard DueAfterStart.moved(due, behind: start, timeZone: workspace.timeZone) != nil else { return }
        throw Problem(
            "start-after-due", exit: .usage, message: "a task cannot start on or after its due date",
            next: ["say an earlier --start, or a later --due"])
    }

    /// When the mail of a new task comes back: on the start of a scheduled or waiting one. nil: it stays where it is.
    func returnOfMail(_ draft: TodoDraft) -> Timestamp? {
        guard draft.list == .scheduled || draft.list == .waiting, let start = draft.start else { return nil }
        let time = ReturnTime.instant(start, timeZone: workspace.timeZone)
        return time > now ? time : nil
    }
}

/// A message that waited and is back in the inbox. The words are a stranger's.
public struct ReturnedMail: Sendable {
    public var id: EmailID
    public var shortID: String
    public var from: String
    public var subject: String
}

extension Session {
    /// The deferred messages that these runs brought back.
    func returned(by runs: [RunReport]) throws -> [ReturnedMail] {
        let steps = runs.flatMap(\.drain.confirmed).filter(\.isReturn)
        var seen: Set<EmailID> = []
        let ids = steps.compactMap(\.message).filter { seen.insert($0).inserted }
        guard !ids.isEmpty else { return [] }
        let names = try shortIDs(ids)
        return try ids.compactMap { id in
            guard let detail = try store.detail(of: id) else { return nil }
            let facts = try store.facts(.ids([id])).first
            return ReturnedMail(
                id: id, shortID: names[id] ?? id.rawValue, from: facts?.from.first?.name ?? "(no sender)",
                subject: detail.subject.isEmpty ? "(no subject)" : detail.subject)
        }
    }
}

extension Step {
    /// A deferred message that comes back because its time has come.
    fileprivate var isReturn: Bool {
        guard case .move = kind else { return false }
        return rule == "deferral"
    }
}

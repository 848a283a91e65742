import MailStore
import Models
import Planner
import TaskStore

/// Moves that still wait for their server while a task of their message changes: the later decision counts.
struct ReplacedMoves {
    let store: Store
    let accounts: [AccountID]

    /// Cancels the moves that the changed tasks replace.
    ///
    /// - Returns: Whether there was anything to cancel.
    func cancel(by links: TaskLinks, files: [TodoFile]) throws -> Bool {
        let waiting = try waiting()
        guard !waiting.isEmpty else { return false }
        let versions = Dictionary(files.map { ($0.todo.id, $0) }) { first, _ in first }
        var rows: Set<Int64> = []
        for change in links.changes where change.mayMoveMail {
            guard let mail = links.mail[change.todo.id] else { continue }
            let moves = waiting.filter { Self.isReplaced($0, in: mail) }
            guard !moves.isEmpty else { continue }
            let time = try ChangeTime(
                versions[change.todo.id], store, since: moves.compactMap(\.id).min() ?? 0)
            rows.formUnion(try moves.filter { try !time.isBefore($0) }.compactMap(\.id))
        }
        if !rows.isEmpty { try store.journal.cancel(rows.sorted()) }
        return !rows.isEmpty
    }

    /// Where the remaining moves of the user and of rules take messages: a task decides about them as if they were there.
    func destinations() throws -> [MessageKey: Mailbox] {
        var destinations: [MessageKey: Mailbox] = [:]
        for step in try waiting() {
            guard case .move(let key, to: let mailbox) = step.kind else { continue }
            switch step.cause {
            case .hand, .rule: destinations[key] = mailbox
            case .task, .undo, .deferral, .reply, .deferredList: continue
            }
        }
        return destinations
    }

    private func waiting() throws -> [Step] {
        try accounts.flatMap { try store.journal.openSteps(of: $0) }.filter {
            $0.kind.decidesPlace && [.planned, .ready].contains($0.state)
        }
    }

    /// Whether a later change of the task replaces the step: a task decided, when it was made from its mail or when it
    /// changed, or the user deferred its message.
    private static func isReplaced(_ step: Step, in mail: LinkedMail) -> Bool {
        guard let message = step.message, !mail.others.contains(message),
            message == mail.message || mail.placements.contains(where: { $0.message == message })
        else { return false }
        switch step.cause {
        case .task: return true
        case .hand(let verb):
            guard message == mail.message else { return false }
            if case .move(_, to: let mailbox) = step.kind, mailbox.role == .deferred { return true }
            return verb.hasPrefix(TaskMail.verb)
        case .rule, .undo, .deferral, .reply, .deferredList: return false
        }
    }

    /// When a task got its present content: in the order of the journal if a command of opus wrote it, otherwise the time of
    /// its file.
    private struct ChangeTime {
        private let writer: Int64?
        private let written: Timestamp?
        private let store: Store

        /// The steps before the moves that are searched.
        private static let depth: Int64 = 10_000

        /// `file` is nil: it is gone. `row`: the first of the moves.
        init(_ file: TodoFile?, _ store: Store, since row: Int64) throws {
            self.store = store
            writer = try file.flatMap {
                try store.todos.writer(
                    of: $0.todo.id, path: $0.path, digest: $0.digest, after: max(0, row - Self.depth))
            }
            written = file.map { Timestamp(seconds: $0.modifiedNanoseconds / 1_000_000_000) }
        }

        func isBefore(_ step: Step) throws -> Bool {
            guard let row = step.id, let written else { return false }
            if let writer { return writer < row }
            return try store.todos.time(ofStep: row).map { written < $0 } ?? false
        }
    }
}

extension TodoChange {
    fileprivate var mayMoveMail: Bool {
        switch self {
        case .completed, .cancelled, .reopened, .startChanged, .movedList: true
        case .added, .edited, .deleted: false
        }
    }
}

extension Step.Kind {
    /// Whether it determines the place of a message, now or later.
    var decidesPlace: Bool {
        switch self {
        case .move, .wait: true
        case .createTodo, .updateTodo, .removeTodo, .restoreTodo, .append, .submit, .store, .remove,
            .saveFile,
            .removeFile, .list, .createMailbox,
            .editThreads:
            false
        }
    }
}

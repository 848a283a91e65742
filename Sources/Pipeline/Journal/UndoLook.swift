import Executor
import MailStore
import Models
import Planner
import TaskStore

/// The current state of everything that a run changed, from the store and the task folder.
struct UndoLook {
    let store: Store
    let tasks: TaskFiles
    let files: AttachmentFolder
    let context: StepContext

    /// The message that the step put into its mailbox. After an undo, an earlier one with the same Message-ID lies in the trash.
    private func appended(_ token: MessageID, _ step: Step) throws -> EmailID? {
        let messages = try store.messages.messages(with: token, account: context.account)
        guard messages.count > 1, case .append(to: let mailbox, message: _, flags: _, _) = step.kind else {
            return messages.first
        }
        return try messages.first { id in
            try store.messages.places(of: id).contains { $0.mailbox.name == mailbox.name }
        } ?? messages.first
    }

    func facts(of steps: [Step]) throws -> Undo.Facts {
        var facts = Undo.Facts(context: context)
        facts.undone = try store.runs.undone(of: steps.compactMap(\.id))
        facts.waits = try store.deferrals.before(steps.compactMap(\.id))
        facts.originals = try store.runs.steps(steps.compactMap(\.undoes))
        let mailboxes = try store.sync.mailboxes(of: context.account)
        facts.mailboxes = Dictionary(mailboxes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        facts.commandMailboxes = try store.orders.mailboxes(of: context.account)
        var dated: Set<EmailID> = []
        for step in steps {
            if case .move(let key, to: _) = step.kind, facts.commandMailboxes.contains(key.mailbox) {
                facts.homes[key] = try store.orders.home(of: key)
            }
            if let message = step.message { try add(message, to: &facts) }
            if case .wait = step.kind { dated.formUnion([step.message].compactMap(\.self)) }
            if case .append(to: _, message: _, flags: _, let token) = step.kind,
                let message = try appended(token, step)
            {
                facts.appended[token] = message
                try add(message, to: &facts)
                if facts.places[message]?.contains(where: { $0.mailbox.role == .sent }) == true {
                    facts.sent.insert(token)
                }
            }
            if case .append(to: let mailbox, message: _, flags: _, let token) = step.kind,
                mailbox.role == .drafts,
                try store.runs.isSent(draft: token, account: context.account)
            {
                facts.sent.insert(token)
            }
            if case .append(to: let mailbox, let message, flags: _, let token) = step.kind,
                mailbox.role != .sent,
                let digest = step.outcome.digest
                    ?? (mailbox.role == .drafts ? MessageDigest.of(message) : nil)
            {
                facts.digests[token] = digest
            }
            if case .remove(_, let token, let versions) = step.kind, let row = step.id,
                let (_, appended) = try store.runs.appended(token, account: context.account),
                case .append(to: _, let bytes, flags: _, _) = appended.kind,
                versions.map({ $0.own.isEmpty || $0.own.contains(MessageDigest.of(bytes)) }) ?? true
            {
                facts.removed[row] = appended
            }
            if let path = step.savedPath, facts.savers[path] == nil {
                facts.files[path] = try files.digest(of: path)
                facts.savers[path] = try store.runs.savers(of: path)
            }
            if let id = step.kind.todo, let file = try tasks.file(for: id) {
                facts.todos[id] = file.digest
                facts.lists[id] = file.todo.list
                if let row = step.id, let digest = step.outcome.digest, digest != file.digest,
                    let content = try tasks.content(of: id)
                {
                    facts.noted[row] = try NotesSince(store: store, now: context.now).notes(
                        after: step, of: id, present: content)
                }
            }
            if case .createTodo(let todo) = step.kind, step.state != .confirmed,
                let content = try tasks.content(of: todo.id, thorough: true),
                TaskBytes.isNew(todo, content.bytes, now: step.issuedAt ?? context.now)
            {
                facts.written.insert(todo.id)
            }
        }
        facts.noLongerDeferred = try noLongerDeferred(dated, facts)
        facts.replaced = try replaced(steps)
        return facts
    }

    /// The removals of drafts whose next version a later run has replaced: the version before would be a second draft.
    private func replaced(_ steps: [Step]) throws -> Set<Int64> {
        let account = context.account
        let written = steps.compactMap { step -> (token: MessageID, row: Int64)? in
            guard case .append(to: let mailbox, _, flags: _, let token) = step.kind, mailbox.role == .drafts
            else {
                return nil
            }
            return step.id.map { (token, $0) }
        }
        let left = try written.filter {
            try store.runs.isRemoved($0.token, since: $0.row, account: account)
                && !store.drafts.successors(of: $0.token, account: account).isEmpty
        }
        let drafts = Set(left.map { OpenDraft.draft(ofVersion: $0.token) })
        guard !drafts.isEmpty else { return [] }
        return Set(
            steps.compactMap { step in
                guard case .remove(_, let token, _) = step.kind else { return nil }
                let isSame = written.count == 1 || drafts.contains(OpenDraft.draft(ofVersion: token))
                return isSame ? step.id : nil
            })
    }

    /// A message with open steps may be on its way into the deferred mailbox.
    private func noLongerDeferred(_ messages: Set<EmailID>, _ facts: Undo.Facts) throws -> Set<EmailID> {
        let deferred = context.mailbox(for: .deferred).name
        let elsewhere = messages.filter { message in
            let places = facts.places[message] ?? []
            return !places.isEmpty
                && !places.contains { $0.key.mailbox == deferred || $0.mailbox.name == deferred }
        }
        guard !elsewhere.isEmpty else { return [] }
        return elsewhere.subtracting(try store.journal.messagesWithOpenSteps(of: context.account))
    }

    private func add(_ message: EmailID, to facts: inout Undo.Facts) throws {
        guard facts.places[message] == nil else { return }
        facts.places[message] = try store.messages.places(of: message).filter { !$0.isMissing }
    }
}

extension Step.Kind {
    /// The task whose file the step changes.
    var todo: TodoID? {
        switch self {
        case .createTodo(let todo): todo.id
        case .updateTodo(let id, _), .removeTodo(let id, digest: _),
            .restoreTodo(let id, path: _, content: _, digest: _):
            id
        case .append, .submit, .store, .move, .remove, .wait, .saveFile, .removeFile, .list, .createMailbox,
            .editThreads:
            nil
        }
    }
}

extension Step {
    /// The saved file that the step created or removed; nil: there is none, or not yet.
    fileprivate var savedPath: String? {
        switch kind {
        case .saveFile: outcome.path
        case .removeFile(let path, digest: _): path
        case .createTodo, .updateTodo, .removeTodo, .restoreTodo, .append, .submit, .store, .move, .remove,
            .wait, .list, .createMailbox,
            .editThreads:
            nil
        }
    }
}

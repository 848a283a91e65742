import Accounts
import MailStore
public import Models

/// One message in a list.
public struct MessageLine: Sendable {
    public enum State: Hashable, Sendable {
        case deferred(DeferredUntil)
        /// It was deferred and is back in the inbox, unread.
        case back
        /// `answered`: it is a person's answer.
        case waiting(answered: Bool)
        /// A person's answer, with the days since the question: the task no longer waits.
        case answered(days: Int64)
        case task(TodoID)
    }

    public var facts: MessageFacts
    /// The shortest unique prefix of its id, at least four characters.
    public var shortID: String
    public var states: [State]

    public var isUnread: Bool { !facts.flags.contains(.seen) }
    var isBack: Bool { states.contains(.back) }
}

/// Makes the lines of lists: messages with their short ids and related facts.
struct MessageLines: Sendable {
    let store: Store
    let waits: Waits

    /// The lines for these facts.
    func of(_ facts: [MessageFacts], account: Account) throws -> [MessageLine] {
        let ids = try store.messages.shortPrefix(of: facts.map(\.id))
        let deferrals = try store.deferrals.dates(account: account.id)
        let todos = try todos(of: facts)
        let back = try store.deferrals.returned(
            among: facts.filter { $0.mailbox.role == .inbox && !$0.flags.contains(.seen) }.map(\.id))
        let answers = try answers(facts, todos, account)
        let elsewhere = try answersToOthers(facts, account)
        return facts.map { facts in
            var states: [MessageLine.State] = []
            if back.contains(facts.id), facts.mailbox.role == .inbox { states.append(.back) }
            if let until = deferrals[facts.id] { states.append(.deferred(until)) }
            for id in facts.openTodos {
                guard let todo = todos[id], todo.isOpen else { continue }
                states += Self.states(of: todo, days: answers[facts.id]?[id])
            }
            for (todo, days) in elsewhere[facts.id] ?? [] where !facts.openTodos.contains(todo.id) {
                states += Self.states(of: todo, days: days)
            }
            return MessageLine(
                facts: facts, shortID: ids[facts.id] ?? String(facts.id.rawValue.prefix(8)), states: states)
        }
    }

    /// `days`: when the message answered the task; nil: it does not answer it.
    private static func states(of todo: Todo, days: Int64?) -> [MessageLine.State] {
        if todo.list == .waiting { return [.waiting(answered: days != nil)] }
        return (days.map { [.answered(days: $0)] } ?? []) + [.task(todo.id)]
    }

    /// The tasks of these messages, as of the last sync.
    private func todos(of facts: [MessageFacts]) throws -> [TodoID: Todo] {
        let ids = Set(facts.flatMap(\.openTodos))
        let files =
            ids.count > Self.fewTasks
            ? try store.todos.todoFiles() : try ids.compactMap { try store.todos.todoFile($0) }
        return Dictionary(files.map { ($0.todo.id, $0.todo) }, uniquingKeysWith: { first, _ in first })
    }

    /// Up to this number, each task is read separately.
    private static let fewTasks = 200

    /// The open tasks of other accounts to which these messages are answers, with the days since the question.
    private func answersToOthers(_ facts: [MessageFacts], _ account: Account) throws
        -> [EmailID: [(todo: Todo, days: Int64)]]
    {
        let others = waits.workspace.accounts.filter { $0.id != account.id }
        guard !others.isEmpty else { return [:] }
        let ids = Set(try store.todos.noted(.reply, in: facts.map(\.id)).values.joined())
        let todos = try ids.sorted().compactMap { try store.todos.todoFile($0)?.todo }.filter(\.isOpen)
        var answers: [EmailID: [(todo: Todo, days: Int64)]] = [:]
        for other in others {
            let readings = try waits.read(todos, of: other)
            for todo in todos {
                guard let wait = readings[todo.id]?.wait else { continue }
                for answer in wait.answers {
                    answers[answer.message, default: []].append((todo, wait.days(until: answer)))
                }
            }
        }
        return answers
    }

    /// The answers to the open tasks of these messages.
    private func answers(_ facts: [MessageFacts], _ todos: [TodoID: Todo], _ account: Account) throws
        -> [EmailID: [TodoID: Int64]]
    {
        let ids = Set(facts.flatMap(\.openTodos))
        var answers: [EmailID: [TodoID: Int64]] = [:]
        for (id, reading) in try waits.read(ids.sorted().compactMap { todos[$0] }, of: account) {
            for answer in reading.wait.answers {
                answers[answer.message, default: [:]][id] = reading.wait.days(until: answer)
            }
        }
        return answers
    }
}

extension [MessageFacts] {
    /// Without the lists of deferred messages, which Gmail shows in All Mail, too.
    var withoutDeferredLists: [MessageFacts] {
        let lists = Set(filter(\.isDeferredList).map(\.id))
        return lists.isEmpty ? self : filter { !lists.contains($0.id) }
    }

    /// Without the places in Gmail's All Mail and Starred of messages that have another place: these show them once more.
    var withoutRepetitions: [MessageFacts] {
        guard contains(where: \.isRepetition) else { return self }
        let elsewhere = Set(filter { !$0.isRepetition }.map(\.id))
        return filter { !$0.isRepetition || !elsewhere.contains($0.id) }
    }

    /// Each message once: in the inbox, if it is there.
    var onePerMessage: [MessageFacts] {
        let inbox = Set(filter { $0.mailbox.role == .inbox }.map(\.id))
        var seen: Set<EmailID> = []
        return withoutRepetitions.filter {
            ($0.mailbox.role == .inbox || !inbox.contains($0.id)) && seen.insert($0.id).inserted
        }
    }
}

extension MessageFacts {
    fileprivate var isRepetition: Bool { mailbox.role == .all || mailbox.role == .flagged }

    /// Whether it is the list of deferred messages, which is not mail.
    var isDeferredList: Bool { mailbox.role == .deferred && DeferredListMail.isToken(messageID) }

    /// Whether a mail program marked it `\Deleted` and has not removed it yet. RFC 9051 §2.3.2. It is deleted for the user, so
    /// that rules leave it alone, until the mark is removed.
    var isMarkedDeleted: Bool { flags.contains(.deleted) }

    /// A message that is no longer in any mailbox.
    init(withoutPlace detail: StoredMessage) {
        let nowhere = Mailbox(account: detail.account, name: MailboxName("-"), displayName: "(no mailbox)")
        self.init(
            id: detail.id,
            key: MessageKey(account: detail.account, mailbox: nowhere.name, uidValidity: 0, uid: 0),
            mailbox: nowhere, thread: detail.thread, received: detail.received)
        subject = detail.subject
        from = detail.from
        to = detail.to
        cc = detail.cc
        sent = detail.sent
        messageID = detail.messageID
        size = detail.size
        attachments = detail.attachments
        signature = detail.signature
        flags = [.seen]
        conversation = detail.conversation
    }
}

import Accounts
import MIMEParser
import MailStore
public import Models
public import Rules
import YAMLSource

/// Looking at mail: nothing here changes anything.
extension Session {
    /// The messages of a mailbox (the inbox by default) that match, newest first.
    public func list(
        account: String?, folder: String?, everywhere: Bool, matching query: Query?
    ) throws -> [MessageLine] {
        var lines: [MessageLine] = []
        for id in try accounts(named: account) {
            let account = try requireAccount(id)
            let needs = query?.needs ?? []
            var facts: [MessageFacts]
            if let folder {
                let mailbox = try requireMailbox(folder, of: account)
                facts = try self.facts(.mailbox(account.id, mailbox.name), needs: needs)
            } else if everywhere || query?.asksMailbox ?? false {
                facts = try self.facts(.everything(account.id), needs: needs)
            } else {
                facts = try self.facts(.role(account.id, .inbox), needs: needs)
            }
            if let query {
                let context = try surrounded(
                    ruleContext(for: account), for: facts, needs: needs, account: account)
                facts = facts.filter(query.matcher(in: context))
            }
            lines += try self.lines(facts, account: account)
        }
        return lines
    }

    /// Why a query found nothing, where its words tell.
    public func doubts(about query: Query, account: String?) throws -> [String] {
        query.doubts(mailboxes: try accounts(named: account).flatMap { try store.mailboxes(of: $0) })
    }

    /// Messages anywhere that match: the index finds the words, the query decides.
    public func search(_ query: Query, account: String?, limit: Int) throws -> [MessageLine] {
        var lines: [MessageLine] = []
        for id in try accounts(named: account) {
            let account = try requireAccount(id)
            let context = try ruleContext(for: account)
            let terms = query.requiredTerms.map { SearchTerm(SearchTerm.Field($0.field), $0.text) }
            let candidates = try narrowed(
                store.search(
                    terms, account: account.id, since: query.earliest(now: context.now),
                    limit: Self.searchLimit),
                by: query, account)
            var found: [MessageFacts] = []
            // Writers are counted in one walk over all messages: not once for each chunk.
            let size = query.needs.contains(.senders) ? max(1, candidates.count) : Self.searchChunk
            for start in stride(from: 0, to: candidates.count, by: size) where found.count < limit {
                let chunk = Array(candidates[start..<min(start + size, candidates.count)])
                let facts = try facts(.ids(chunk), needs: query.needs)
                let here = try surrounded(context, for: facts, needs: query.needs, account: account)
                found += facts.filter(query.matcher(in: here))
            }
            lines += try self.lines(Array(found.prefix(limit)), account: account)
        }
        return lines
    }

    /// Those that can match, where the store knows all of these.
    private func narrowed(
        _ candidates: [EmailID], by query: Query, _ account: Account
    ) throws -> [EmailID] {
        guard query.asksForCopiesOnly else { return candidates }
        let copies = try store.earlierCopies(account: account.id)
        return candidates.filter { copies[$0] != nil }
    }

    /// Candidates that the index may hand to the query: more than anybody reads.
    static let searchLimit = 100_000
    /// Messages that the query looks at in one go, the newest first.
    static let searchChunk = 500

    /// The messages of the thread that holds a message, oldest first, each once.
    public func thread(of typed: String) throws -> [MessageLine] {
        let detail = try message(typed)
        let account = try requireAccount(detail.account)
        var seen: Set<EmailID> = []
        let facts = try facts(.thread(detail.thread), needs: [.text]).filter { seen.insert($0.id).inserted }
        return try lines(facts.sorted { ($0.date, $0.id) < ($1.date, $1.id) }, account: account)
    }

    /// The one message that a typed id means.
    func message(_ typed: String) throws -> StoredMessage {
        let prefix = typed.hasPrefix("m:") ? String(typed.dropFirst(2)) : typed
        let lowered = prefix.lowercased()
        guard !lowered.isEmpty, lowered.utf8.allSatisfy({ Self.idAlphabet.contains($0) }) else {
            throw Problem(
                "bad-id", exit: .usage, message: "\"\(typed)\" is no message id",
                next: ["ids look like 7k2q or m:7k2q (opus list)"])
        }
        let found = try store.resolve(prefix: lowered)
        guard let id = found.first else {
            throw Problem(
                "no-such-message", exit: .notFound,
                message: "no message has an id that begins with \(lowered)",
                next: ["opus list --all", "opus sync"])
        }
        guard found.count == 1 else {
            throw Problem(
                "ambiguous-id", exit: .usage, message: "\(lowered) is the beginning of \(found.count) ids",
                next: [
                    "one of: "
                        + found.map { String($0.rawValue.prefix(lowered.count + 4)) }.joined(separator: ", ")
                ])
        }
        return try requireMessage(id)
    }

    private static let idAlphabet = Set("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    func requireMessage(_ id: EmailID) throws -> StoredMessage {
        guard let detail = try store.detail(of: id) else {
            throw Problem("no-such-message", exit: .notFound, message: "the store has no message \(id)")
        }
        return detail
    }

    func requireAccount(_ id: AccountID) throws -> Account {
        guard let account = workspace.accounts.first(where: { $0.id == id }) else {
            throw Problem(
                "no-such-account", exit: .configuration,
                message: "the store has mail of account \(id), which opus.yaml no longer has",
                place: workspace.configFile)
        }
        return account
    }

    func requireMailbox(_ word: String, of account: Account) throws -> Mailbox {
        let mailboxes = try store.mailboxes(of: account.id)
        let lowered = word.lowercased()
        if let exact = mailboxes.first(where: { $0.displayName == word }) { return exact }
        if let near = mailboxes.first(where: {
            $0.displayName.lowercased() == lowered || $0.role?.rawValue == lowered
                || $0.plainName.lowercased() == lowered
        }) {
            return near
        }
        let near = nearest(to: word, among: mailboxes.map(\.plainName))
        throw Problem(
            "no-such-mailbox", exit: .notFound, message: "account \(account.id) has no mailbox \"\(word)\"",
            next: near.map { ["did you mean \"\($0)\"?"] }
                ?? ["one of: " + mailboxes.map(\.displayName).sorted().prefix(12).joined(separator: ", ")])
    }

    /// Facts with what a list shows beside them.
    func lines(_ facts: [MessageFacts], account: Account) throws -> [MessageLine] {
        let ids = try store.shortPrefix(of: facts.map(\.id))
        let deferrals = Dictionary(
            try store.deferrals(account: account.id).map { ($0.message, $0.until) },
            uniquingKeysWith: { first, _ in first })
        let todos = Dictionary(
            try store.todoFiles().map { ($0.todo.id, $0.todo) }, uniquingKeysWith: { first, _ in first })
        return facts.map { facts in
            var states: [MessageLine.State] = []
            if let until = deferrals[facts.id] { states.append(.deferred(until)) }
            for id in facts.openTodos {
                guard let todo = todos[id], todo.isOpen else { continue }
                let answered = todo.list == .waiting && isAnswer(facts, to: todo)
                states.append(todo.list == .waiting ? .waiting(answered: answered) : .task(todo.id))
            }
            return MessageLine(
                facts: facts, shortID: ids[facts.id] ?? String(facts.id.rawValue.prefix(8)), states: states)
        }
    }

    /// A message from the person we wait for, later than the task.
    private func isAnswer(_ facts: MessageFacts, to todo: Todo) -> Bool {
        guard let waitingOn = todo.waitingOn ?? todo.contact, let created = todo.created,
            facts.received > created
        else { return false }
        return facts.from.contains { waitingOn.lowercased().contains($0.comparable) }
    }
}

/// One message as lists show it.
public struct MessageLine: Sendable {
    public enum State: Hashable, Sendable {
        case deferred(Timestamp)
        case waiting(answered: Bool)
        case task(TodoID)
    }

    public var facts: MessageFacts
    /// The shortest unique beginning of its id, at least four characters.
    public var shortID: String
    public var states: [State]

    public var isUnread: Bool { !facts.flags.contains(.seen) }
}

extension SearchTerm.Field {
    init(_ field: Query.TermField) {
        switch field {
        case .subject: self = .subject
        case .address: self = .address
        case .text: self = .text
        case .any: self = .any
        }
    }
}

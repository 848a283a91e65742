import Accounts
import MIMEParser
import MailStore
public import Models
public import Rules

/// Lists and shows mail. Changes nothing.
public struct Messages: Sendable {
    let accounts: AccountAccess
    let store: Store
    let loader: FactLoader
    let lookup: MessageLookup
    let lines: MessageLines
    let surroundings: Surroundings
    let originals: OriginalReader
    let taskMail: TaskMail

    /// Finds messages in every mailbox.
    public var search: Search {
        Search(accounts: accounts, store: store, loader: loader, lines: lines, surroundings: surroundings)
    }

    /// The matching messages of a mailbox (the default is the inbox), newest first. In the
    /// inbox, messages that came back from a deferral are first.
    public func list(
        account: String?, folder: String?, everywhere: Bool, matching query: Query?
    ) throws -> [MessageLine] {
        let ids = try accounts.ids(named: account)
        let found = Self.newestFirst(
            try ids.map { id in
                let account = try accounts.require(id)
                return try lines.of(
                    try matches(account, folder: folder, everywhere: everywhere, query: query),
                    account: account)
            })
        return folder == nil && !everywhere ? found.filter(\.isBack) + found.filter { !$0.isBack } : found
    }

    /// Merges the lists of several accounts; each is sorted, newest first.
    static func newestFirst(_ lists: [[MessageLine]]) -> [MessageLine] {
        guard lists.count > 1 else { return lists.first ?? [] }
        return lists.joined().enumerated().sorted { a, b in
            let (first, second) = (a.element.facts.received, b.element.facts.received)
            return first == second ? a.offset < b.offset : first > second
        }.map(\.element)
    }

    /// The facts of the same messages for one account, newest first.
    func matches(
        _ account: Account, folder: String?, everywhere: Bool, query: Query?
    ) throws -> [MessageFacts] {
        let needs = query?.needs ?? []
        var facts: [MessageFacts]
        if let folder {
            let mailbox = try accounts.requireMailbox(folder, of: account)
            facts = try loader.facts(.mailbox(account.id, mailbox.name), needs: needs)
        } else if everywhere || query?.asksMailbox ?? false {
            facts = try loader.facts(.everything(account.id), needs: needs)
        } else {
            facts = try loader.facts(.role(account.id, .inbox), needs: needs)
        }
        facts = facts.withoutDeferredLists
        if let query {
            let context = try surroundings.surrounded(
                surroundings.ruleContext(for: account), for: facts, needs: needs, account: account,
                forRules: true)
            facts = facts.filter(query.matcher(in: context))
        }
        return facts.withoutRepetitions
    }

    /// Explains why a query found nothing, if its words show the reason.
    public func doubts(about query: Query, account: String?) throws -> [String] {
        let mailboxes = try accounts.ids(named: account).flatMap { try store.sync.mailboxes(of: $0) }
        return query.doubts(mailboxes: mailboxes) + (try search.doubts(about: query))
    }

    /// Matching messages in all mailboxes.
    public func search(_ query: Query, account: String?, limit: Int) throws -> [MessageLine] {
        try search.messages(query, account: account, limit: limit)
    }

    /// Throws if the message is not in the named account. nil: it may be in any.
    public func require(_ typed: String, in account: String?) throws {
        guard let account else { return }
        let own = try lookup.message(typed).account
        guard try accounts.ids(named: account).contains(own) else {
            throw Problem.otherAccount(typed, own, not: account)
        }
    }

    /// The messages of the thread of a message, oldest first, each once.
    public func thread(of typed: String) throws -> [MessageLine] {
        let detail = try lookup.message(typed)
        let account = try accounts.require(detail.account)
        var seen: Set<EmailID> = []
        let shown = try store.threads.shownThreads(of: [detail.id])[detail.id] ?? detail.thread
        let members = try store.threads.messages(shownAs: shown)
        let facts = try loader.facts(.ids(members), needs: [.text]).filter {
            seen.insert($0.id).inserted
        }
        return try lines.of(facts.sorted { ($0.date, $0.id) < ($1.date, $1.id) }, account: account)
    }

    /// Remembers the rows of a list that the user sees.
    public func rememberRows(_ lines: [MessageLine]) {
        try? lookup.rows.save(lines.map(\.facts.id.rawValue), .messages)
    }

    /// The shortest unique prefix of each id.
    public func shortIDs(_ ids: [EmailID]) throws -> [EmailID: String] { try lookup.shortIDs(ids) }

}

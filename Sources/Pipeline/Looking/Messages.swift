import Accounts
import MIMEParser
import MailStore
public import Models
public import Rules

/// Lists, searches and shows mail. Nothing here changes anything.
public struct Messages: Sendable {
    let accounts: AccountAccess
    let store: Store
    let loader: FactLoader
    let lookup: MessageLookup
    let lines: MessageLines
    let surroundings: Surroundings
    let originals: OriginalReader
    let taskMail: TaskMail

    /// The messages of a mailbox (the inbox by default) that match, newest first.
    public func list(
        account: String?, folder: String?, everywhere: Bool, matching query: Query?
    ) throws -> [MessageLine] {
        var found: [MessageLine] = []
        for id in try accounts.ids(named: account) {
            let account = try accounts.require(id)
            found += try lines.of(
                try matches(account, folder: folder, everywhere: everywhere, query: query), account: account)
        }
        return folder == nil && !everywhere ? found.filter(\.isBack) + found.filter { !$0.isBack } : found
    }

    /// The facts of the same messages of one account, newest first.
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
        if let query {
            let context = try surroundings.surrounded(
                surroundings.ruleContext(for: account), for: facts, needs: needs, account: account)
            facts = facts.filter(query.matcher(in: context))
        }
        return facts.filter { !$0.isDeferredList }
    }

    /// Why a query found nothing, if that can be seen from its words.
    public func doubts(about query: Query, account: String?) throws -> [String] {
        query.doubts(mailboxes: try accounts.ids(named: account).flatMap { try store.sync.mailboxes(of: $0) })
    }

    /// Messages anywhere that match: the index finds the words, the query decides.
    public func search(_ query: Query, account: String?, limit: Int) throws -> [MessageLine] {
        var result: [MessageLine] = []
        for id in try accounts.ids(named: account) {
            let account = try accounts.require(id)
            let context = try surroundings.ruleContext(for: account)
            let terms = query.requiredTerms.map { SearchTerm(SearchTerm.Field($0.field), $0.text) }
            let candidates = try narrowed(
                store.index.search(
                    terms, account: account.id, since: query.earliest(now: context.now),
                    limit: Self.searchLimit),
                by: query, account)
            var found: [MessageFacts] = []
            // Writers are counted in one walk over all messages: not once for each chunk.
            let size = query.needs.contains(.senders) ? max(1, candidates.count) : FactLoader.chunk
            for start in stride(from: 0, to: candidates.count, by: size) where found.count < limit {
                let chunk = Array(candidates[start..<min(start + size, candidates.count)])
                let facts = try loader.facts(.ids(chunk), needs: query.needs)
                let here = try surroundings.surrounded(
                    context, for: facts, needs: query.needs, account: account)
                found += facts.filter { !$0.isDeferredList }.filter(query.matcher(in: here))
            }
            result += try lines.of(Array(found.prefix(limit)), account: account)
        }
        return result
    }

    /// The messages that can match, if the store knows all of these.
    private func narrowed(
        _ candidates: [EmailID], by query: Query, _ account: Account
    ) throws -> [EmailID] {
        guard query.asksForCopiesOnly else { return candidates }
        let copies = try store.threads.earlierCopies(account: account.id)
        return candidates.filter { copies[$0] != nil }
    }

    /// The most candidates from the index: more than anyone reads.
    private static let searchLimit = 100_000

    /// The messages of the thread that holds a message, oldest first, each once.
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

    /// The shortest beginning of each id that no other message has.
    public func shortIDs(_ ids: [EmailID]) throws -> [EmailID: String] { try lookup.shortIDs(ids) }

}

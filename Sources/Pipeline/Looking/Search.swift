import Accounts
import MailStore
public import Models
public import Rules
import YAMLSource

/// Finds messages in all mailboxes. The index returns candidates, newest first, and the query selects those
/// that match.
public struct Search: Sendable {
    let accounts: AccountAccess
    let store: Store
    let loader: FactLoader
    let lines: MessageLines
    let surroundings: Surroundings

    /// The order of the results.
    public enum Order: String, CaseIterable, Sendable {
        case date
        /// Messages with the words in the subject or the sender first; whole words before prefixes; then the
        /// newest.
        case rank
    }

    /// At most `limit` messages of each account, with one line for each mailbox that has the message.
    public func messages(
        _ query: Query, account: String?, limit: Int, order: Order = .date
    ) throws -> [MessageLine] {
        var result: [MessageLine] = []
        try pages(query, account: account, limit: limit, order: order) { result += $0 }
        return result
    }

    /// The same, but calls `each` for each page as soon as it is found. The first pages are small.
    public func pages(
        _ query: Query, account: String?, limit: Int, order: Order = .date,
        each: ([MessageLine]) throws -> Void
    ) throws {
        try catchUp()
        for id in try accounts.ids(named: account) {
            let account = try accounts.require(id)
            switch order {
            case .date:
                var left = limit
                try found(query, account) { facts in
                    let taken = Array(facts.prefix(left))
                    left -= taken.count
                    if !taken.isEmpty { try each(try lines.of(taken, account: account)) }
                    return left > 0
                }
            case .rank: try each(try ranked(query, account, limit: limit))
            }
        }
    }

    /// The number of matching messages. A message in several mailboxes counts once.
    public func count(_ query: Query, account: String?) throws -> Int {
        try catchUp()
        var count = 0
        for id in try accounts.ids(named: account) {
            var seen: Set<EmailID> = []
            try found(query, try accounts.require(id), pageSize: Self.largestPage) { facts in
                seen.formUnion(facts.map(\.id))
                return true
            }
            count += seen.count
        }
        return count
    }

    /// The number of threads with a matching message.
    public func threadCount(_ query: Query, account: String?) throws -> Int {
        try catchUp()
        var seen: Set<ThreadID> = []
        for id in try accounts.ids(named: account) {
            try found(query, try accounts.require(id), pageSize: Self.largestPage) { facts in
                seen.formUnion(facts.map(\.thread))
                return true
            }
        }
        return seen.count
    }

    /// The texts of messages.
    public func texts(of ids: [EmailID]) throws -> [EmailID: String] {
        try loader.contents(ids, .text, headerNames: nil).compactMapValues(\.text)
    }

    /// The number of messages in each of these threads.
    public func sizes(of threads: Set<ThreadID>) throws -> [ThreadID: Int] {
        let sorted = threads.sorted { $0.rawValue < $1.rawValue }
        var seen: [ThreadID: Set<EmailID>] = [:]
        for facts in try loader.facts(.threads(sorted), needs: []) {
            seen[facts.thread, default: []].insert(facts.id)
        }
        return seen.mapValues(\.count)
    }

    // MARK: Finding

    private static let firstPage = 64
    private static let largestPage = 2_000

    /// Calls `body` with the matches of each page, until it returns false.
    private func found(
        _ query: Query, _ account: Account, pageSize: Int = firstPage,
        _ body: ([MessageFacts]) throws -> Bool
    ) throws {
        let context = try surroundings.ruleContext(for: account, asked: query)
        let span = query.span(in: context)
        var walk = store.index.walk(
            SearchCondition(query.lookup), account: account.id, since: span.since, until: span.until)
        let copies = query.asksForCopiesOnly ? try store.threads.earlierCopies(account: account.id) : nil
        let plain = query.needs.isDisjoint(with: .surroundings) ? query.matcher(in: context) : nil
        var size = query.needs.contains(.senders) ? Self.everything : pageSize
        while true {
            let page = try walk.next(size)
            let candidates = copies.map { copies in page.filter { copies[$0] != nil } } ?? page
            for start in stride(from: 0, to: candidates.count, by: Self.largestPage) {
                let chunk = Array(candidates[start..<min(start + Self.largestPage, candidates.count)])
                let facts = try loader.facts(.ids(chunk), needs: query.needs).filter { !$0.isDeferredList }
                let matches =
                    try plain
                    ?? query.matcher(
                        in: surroundings.surrounded(
                            context, for: facts, needs: query.needs, account: account))
                guard try body(facts.filter(matches)) else { return }
            }
            guard page.count == size else { return }
            size = min(size * 4, max(size, Self.largestPage))
        }
    }

    /// A page with all messages: a query about senders counts them once, not once per page.
    private static let everything = 1_000_000

    private func ranked(_ query: Query, _ account: Account, limit: Int) throws -> [MessageLine] {
        let rank = SearchRank(query)
        var matches: [(rank: Int, facts: MessageFacts)] = []
        try found(query, account, pageSize: Self.largestPage) { facts in
            for var facts in facts {
                let value = rank.value(of: facts)
                // The texts of many messages would need too much memory.
                facts.take(MessageContent())
                matches.append((value, facts))
            }
            return matches.count < Self.mostRanked
        }
        let order = matches.indices.sorted { a, b in
            matches[a].rank == matches[b].rank ? a < b : matches[a].rank > matches[b].rank
        }
        return try lines.of(order.prefix(limit).map { matches[$0].facts }, account: account)
    }

    /// If more messages match, only the newest ones are ranked.
    private static let mostRanked = 100_000

    /// Indexes some messages that an earlier version stored: searches are faster once all are indexed.
    private func catchUp() throws {
        for _ in 0..<4 where try store.index.catchUp() {}
    }

    // MARK: Nothing found

    /// Explains why a query found nothing: its words that are in no message, each with a similar word.
    public func doubts(about query: Query) throws -> [String] {
        var doubts: [String] = []
        if query.lookup.requiredWords.contains(where: { $0.field == .fileText }),
            !accounts.workspace.fileText.isOn
        {
            return ["attachment:text needs attachment-text: { index: true } in opus.yaml"]
        }
        for (field, match, text) in query.lookup.requiredWords.prefix(Self.mostDoubts) {
            let field = SearchTerm.Field(field)
            guard try !store.index.occurs(SearchTerm(field, text, SearchTerm.Match(match))) else { continue }
            let words = text.split(whereSeparator: { !$0.isLetter && !$0.isNumber }).map(String.init)
            let missing = try words.filter { try !store.index.occurs(SearchTerm(field, $0)) }
            guard match == .words, let word = missing.first else {
                doubts.append("no message has \"\(text)\"\(field.place)")
                continue
            }
            let candidates = try store.index.similarWords(to: word)
            let near = try nearest(
                to: word,
                among: candidates.filter { try $0 != word && store.index.occurs(SearchTerm(field, $0)) })
            doubts.append(
                "no message has \"\(word)\"\(field.place)"
                    + (near.map { "; did you mean \"\($0)\"?" } ?? ""))
        }
        return doubts
    }

    private static let mostDoubts = 8
}

extension SearchTerm.Field {
    fileprivate var place: String {
        switch self {
        case .subject: " in its subject"
        case .address: " in an address or a name"
        case .text: " in its text"
        case .fileName: " in the name of an attachment"
        case .fileText: " in the text of an attachment"
        case .any: ""
        }
    }
}

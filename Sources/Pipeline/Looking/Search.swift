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

    /// At most `limit` messages of all accounts together, with one line for each mailbox that has the message.
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
        guard limit > 0 else { return }
        try catchUp()
        let accounts = try accounts.ids(named: account).map { try self.accounts.require($0) }
        switch order {
        case .date:
            var left = limit
            var streams = MergedMatches(try accounts.map { try matches(query, $0) })
            while left > 0, let page = try streams.next(atMost: left) {
                left -= page.count
                try each(try lines(page))
            }
        case .rank: try each(try lines(try ranked(query, accounts, limit: limit)))
        }
    }

    /// The lines of messages of several accounts, in the same order.
    private func lines(_ found: [(account: Account, facts: MessageFacts)]) throws -> [MessageLine] {
        var result: [MessageLine] = []
        for run in found.chunked(by: { $0.account.id == $1.account.id }) {
            guard let account = run.first?.account else { continue }
            result += try lines.of(run.map(\.facts), account: account)
        }
        return result
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

    static let firstPage = 64
    static let largestPage = 2_000

    /// Calls `body` with the matches of each page, until it returns false.
    private func found(
        _ query: Query, _ account: Account, pageSize: Int = firstPage,
        _ body: ([MessageFacts]) throws -> Bool
    ) throws {
        var matches = try matches(query, account, pageSize: pageSize)
        while let page = try matches.next() {
            guard try body(page) else { return }
        }
    }

    private func matches(
        _ query: Query, _ account: Account, pageSize: Int = firstPage
    ) throws -> AccountMatches {
        let context = try surroundings.ruleContext(for: account, asked: query)
        let span = query.span(in: context)
        return AccountMatches(
            account: account, query: query, context: context, loader: loader, surroundings: surroundings,
            walk: store.index.walk(
                SearchCondition(query.lookup), account: account.id, since: span.since, until: span.until),
            copies: query.asksForCopiesOnly ? try store.threads.earlierCopies(account: account.id) : nil,
            plain: query.needs.isDisjoint(with: .surroundings) ? query.matcher(in: context) : nil,
            size: query.needs.contains(.senders) ? Self.everything : pageSize)
    }

    /// A page with all messages: a query about senders counts them once, not once per page.
    static let everything = 1_000_000

    private func ranked(
        _ query: Query, _ accounts: [Account], limit: Int
    ) throws -> [(account: Account, facts: MessageFacts)] {
        let rank = SearchRank(query)
        var matches: [(rank: Int, account: Account, facts: MessageFacts)] = []
        for account in accounts {
            let start = matches.count
            try found(query, account, pageSize: Self.largestPage) { facts in
                for var facts in facts {
                    let value = rank.value(of: facts)
                    // The texts of many messages would need too much memory.
                    facts.take(MessageContent())
                    matches.append((value, account, facts))
                }
                return matches.count - start < Self.mostRanked
            }
        }
        let order = matches.indices.sorted { a, b in
            let (first, second) = (matches[a], matches[b])
            if first.rank != second.rank { return first.rank > second.rank }
            if first.facts.date != second.facts.date { return first.facts.date > second.facts.date }
            return a < b
        }
        return order.prefix(limit).map { (matches[$0].account, matches[$0].facts) }
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
            let near = try nearest(to: word, among: candidates.filter { $0 != word }) {
                try store.index.occurs(SearchTerm(field, $0))
            }
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

extension Array {
    /// Consecutive elements for which `belongs` is true for each pair of neighbours.
    fileprivate func chunked(by belongs: (Element, Element) -> Bool) -> [[Element]] {
        var result: [[Element]] = []
        for element in self {
            if let last = result.last?.last, belongs(last, element) {
                result[result.count - 1].append(element)
            } else {
                result.append([element])
            }
        }
        return result
    }
}

import Accounts
import MailStore
import Models
import Rules

/// The matches in one account, page after page, newest first.
struct AccountMatches {
    let account: Account
    let query: Query
    let context: RuleContext
    let loader: FactLoader
    let surroundings: Surroundings
    var walk: SearchWalk
    /// The messages that are later copies, if the query finds only those.
    let copies: [EmailID: Timestamp]?
    /// nil: the query needs facts about the surroundings of each message.
    let plain: ((MessageFacts) -> Bool)?
    var size: Int
    private var candidates: ArraySlice<EmailID> = []
    private var isAtEnd = false
    private var matchesAreRare = false

    init(
        account: Account, query: Query, context: RuleContext, loader: FactLoader, surroundings: Surroundings,
        walk: SearchWalk, copies: [EmailID: Timestamp]?, plain: ((MessageFacts) -> Bool)?, size: Int
    ) {
        self.account = account
        self.query = query
        self.context = context
        self.loader = loader
        self.surroundings = surroundings
        self.walk = walk
        self.copies = copies
        self.plain = plain
        self.size = size
    }

    /// The matches among the next candidates, perhaps none; nil at the end of the candidates. As long as most candidates
    /// match, it reads about as many as are wanted.
    mutating func next(wanted: Int = .max) throws -> [MessageFacts]? {
        if candidates.isEmpty {
            guard !isAtEnd else { return nil }
            let needed = size == Search.everything || matchesAreRare ? size : max(wanted, Search.firstPage)
            let count = min(size, needed)
            let page = try walk.next(count)
            isAtEnd = page.count < count
            size = min(size * 4, max(size, Search.largestPage))
            candidates = (copies.map { copies in page.filter { copies[$0] != nil } } ?? page)[...]
        }
        let chunk = Array(candidates.prefix(Search.largestPage))
        candidates = candidates.dropFirst(chunk.count)
        let facts = try loader.facts(.ids(chunk), needs: query.needs).withoutDeferredLists
        let matches =
            try plain
            ?? query.matcher(
                in: surroundings.surrounded(
                    context, for: facts, needs: query.needs, account: account, forRules: true))
        let found = facts.filter(matches).onePerMessage
        matchesAreRare = found.count < chunk.count / 2
        return found
    }
}

/// The matches of several accounts, merged: newest first.
struct MergedMatches {
    private var streams: [AccountMatches]
    private var waiting: [ArraySlice<MessageFacts>]
    private var isAtEnd: [Bool]

    init(_ streams: [AccountMatches]) {
        self.streams = streams
        waiting = streams.map { _ in [] }
        isAtEnd = streams.map { _ in false }
    }

    /// The next matches, until another page of an account is needed; nil at the end.
    mutating func next(atMost limit: Int) throws -> [(account: Account, facts: MessageFacts)]? {
        for index in streams.indices {
            while waiting[index].isEmpty, !isAtEnd[index] {
                if let page = try streams[index].next(wanted: limit) {
                    waiting[index] = page[...]
                } else {
                    isAtEnd[index] = true
                }
            }
        }
        var result: [(account: Account, facts: MessageFacts)] = []
        while result.count < limit, streams.indices.allSatisfy({ isAtEnd[$0] || !waiting[$0].isEmpty }) {
            var newest: (index: Int, date: Timestamp)?
            for index in streams.indices {
                guard let date = waiting[index].first?.date else { continue }
                if newest.map({ date > $0.date }) ?? true { newest = (index, date) }
            }
            guard let index = newest?.index, let facts = waiting[index].popFirst() else { break }
            result.append((streams[index].account, facts))
        }
        return result.isEmpty ? nil : result
    }
}

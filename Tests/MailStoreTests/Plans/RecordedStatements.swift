import GRDB
import Models
import TestSupport

@testable import MailStore

/// Statements that are put together while the program runs: what a store prepares in a day of every command that has one.
enum RecordedStatements {
    static func ofADay(_ store: Store) throws -> Set<String> {
        let heard = Locked<Set<String>>([])
        try store.file.writing { db in db.trace { event in heard.note(event) } }
        try store.file.reading { db in db.trace { event in heard.note(event) } }
        try mail(store)
        try lists(store)
        try searches(store)
        try steps(store)
        return heard.value.filter {
            $0.prefixMatch(of: /(?:SELECT|INSERT|UPDATE|DELETE|WITH)\s/) != nil
                // What the index of words asks of its own tables.
                && !$0.contains("'main'.")
        }
    }

    private static func thread(_ name: String) -> ThreadID { ThreadID(rawValue: name) }

    private static func mail(_ store: Store) throws {
        try store.saveUsualMailboxes()
        let month = MessageStore.daysUnplaced * 86_400
        _ = try store.sync.apply(
            batch(added: [newMessage("a", uid: 1, text: "words"), newMessage("b", uid: 2)]))
        _ = try store.sync.apply(
            batch { $0.threadMerges = [ThreadMerge(from: thread("b"), into: thread("a"))] })
        _ = try store.sync.apply(batch { $0.removed = [2] })
        _ = try store.messages.cleanUp(now: time(0))
        _ = try store.messages.cleanUp(now: time(Int64(month)))
    }

    private static func lists(_ store: Store) throws {
        let ids = [id("a")]
        let parts: FactParts = [.headers, .text]
        for selection: FactSelection in [
            .role(work, .inbox), .ids(ids), .thread(thread("a")), .threads([thread("a")]), .everything(nil),
        ] {
            for parts in [[], parts] { _ = try store.messages.facts(selection, including: parts) }
            _ = try store.rules.rememberedMatches(account: work, of: selection)
        }
        for scope in [ThreadStore.Scope.inbox, .everything] {
            for account in [work, nil] { _ = try store.threads.list(scope, account: account, limit: 9) }
        }
        for threads in [[thread("a")], nil] as [[ThreadID]?] {
            _ = try store.threads.earlierCopies(account: work, in: threads)
            _ = try store.rules.undoneMatches(account: work, in: threads)
            _ = try store.rules.moves(account: work, since: nil, in: threads)
        }
        _ = try store.drafts.drafts(of: work)
        _ = try store.senders.history(limit: 9)
        _ = try store.runs.runsByRules(from: time(0), to: time(9))
    }

    private static func searches(_ store: Store) throws {
        let rare: [SearchFact] = [.messageID("x@y"), .id("a")]
        let common: [SearchFact] = [.flag(.seen, true), .hasFiles, .size(atLeast: 1, atMost: 9)]
        let words = SearchCondition.words(SearchTerm(.text, "words"))
        let part = SearchCondition.words(SearchTerm(.text, "ord", .part))
        let wanted =
            [.everything, words, part, .any([words, part])]
            + (rare + common).flatMap { [SearchCondition.fact($0), .all([words, .fact($0)])] }
        for condition in wanted {
            for account in [work, nil] {
                var walk = store.index.walk(condition, account: account, since: time(0), until: time(9_999))
                _ = try walk.next(2)
            }
        }
    }

    private static func steps(_ store: Store) throws {
        let step = Step(
            idempotencyKey: "submit", message: nil, cause: .rule("send"),
            kind: .submit(
                reversePath: "me@x.org", forwardPaths: ["a@x.org"], message: [65, 13, 10],
                token: MessageID("s@x")))
        let queued = try store.journal.queue(
            NewRun(account: work, startedAt: time(42), command: "send"), steps: [step])
        let ids = queued.queued.compactMap(\.id)
        try store.journal.resolve(ids.map { StepResult(id: $0, state: .rejected, error: "no") })
        try store.journal.retry(ids)
        try store.journal.cancel(ids)
    }
}

extension Locked where Value == Set<String> {
    fileprivate func note(_ event: Database.TraceEvent) {
        guard case .statement(let statement) = event else { return }
        let sql = statement.sql.onOneLine
        change { $0.insert(sql) }
    }
}

import Accounts
import MailStore
import Models
import Rules

/// Old mail that is judged again: finds it with a query.
struct OldMail: Sendable {
    let store: Store
    let loader: FactLoader
    let surroundings: Surroundings

    /// Calls `body` with all matching messages of the account, each once, newest first, a few hundred at a
    /// time, with the parts of header and text that the query needs.
    ///
    /// Mail that the user wrote (Sent, Drafts) and deleted mail are left out, unless the query names a
    /// mailbox. The list of deferred mail, which opus wrote, is always left out.
    func each(
        of account: Account, matching query: Query, _ body: ([MessageFacts]) throws -> Void
    ) throws {
        let context = try surroundings.ruleContext(for: account)
        let asksBeyond = !query.needs.isDisjoint(with: .surroundings)
        var matches = query.matcher(in: context)
        let span = query.span(in: context)
        var walk = store.index.walk(
            SearchCondition(query.lookup), account: account.id, since: span.since, until: span.until)
        let candidates = try walk.next(Self.limit)
        // Counts writers in one pass over all mail.
        let size = query.needs.contains(.senders) ? max(1, candidates.count) : FactLoader.chunk
        for start in stride(from: 0, to: candidates.count, by: size) {
            let chunk = Array(candidates[start..<min(start + size, candidates.count)])
            var seen: Set<EmailID> = []
            let facts = try loader.facts(.ids(chunk), needs: query.needs).withoutDeferredLists
            if asksBeyond {
                matches = query.matcher(
                    in: try surroundings.surrounded(
                        context, for: facts, needs: query.needs, account: account, forRules: true))
            }
            // A message in several mailboxes is judged in the one that is nearest to the inbox.
            let ordered =
                facts.filter { $0.mailbox.role == .inbox } + facts.filter { $0.mailbox.role != .inbox }
            try body(
                ordered.filter { message in
                    (query.asksMailbox || !Self.isLeftOut(message.mailbox))
                        && !message.isMarkedDeleted && matches(message) && seen.insert(message.id).inserted
                })
        }
    }

    /// A limit greater than the size of any account.
    private static let limit = 2_000_000

    private static func isLeftOut(_ mailbox: Mailbox) -> Bool {
        switch mailbox.role {
        case .drafts, .sent, .trash, .junk: true
        case .inbox, .archive, .flagged, .all, .deferred, nil: false
        }
    }

    /// How many messages the other rules would treat differently, and how many were judged, each in its state
    /// on arrival: the mail of the account that matches the query, and the messages `ids`, wherever they are
    /// now.
    func differences(
        from old: RuleSet, to new: RuleSet, account: Account, query: Query, ids: [EmailID]
    ) throws -> (different: Int, messages: Int) {
        var work = RuleComparing(old: old, new: new, samples: 0, asOfToday: false)
        let reader = loader.reader(for: old, new)
        var context = try surroundings.ruleContext(for: account)
        context.autoReplies = [:]
        context.answerStarts = nil
        let sides = work.sides(in: context, account: account.id)
        let around = try OldSurroundings(
            surroundings, account, context, old.needs.union(new.needs), asOfToday: false)
        var seen: Set<EmailID> = []
        func judge(_ found: [MessageFacts], having: FactNeeds) throws {
            let messages = found.filter { seen.insert($0.id).inserted }
            guard !messages.isEmpty else { return }
            if let context = try around?.context(for: messages) {
                sides.old.surround(by: context)
                sides.new.surround(by: context)
            }
            try work.judge(messages, having: having, by: sides, reading: reader)
        }
        try each(of: account, matching: query) {
            try judge($0, having: query.needs.intersection(.content))
        }
        try loader.eachSlice(of: ids) { try judge($0, having: []) }
        return (work.acted, work.messages)
    }
}

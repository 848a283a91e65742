import Accounts
import MailStore
public import Models
import Planner
public import Rules

/// Rules over mail that was there before them.
extension Session {
    /// Every message of the account that matches, once, the newest first, some hundreds at a time: by their rows, with as much
    /// of header and text as the query asks for.
    ///
    /// What the user wrote (Sent, Drafts) is left out, and so is what was thrown away, unless the query asks for a mailbox.
    func history(
        of account: Account, matching query: Query, _ body: ([MessageFacts]) throws -> Void
    ) throws {
        let context = try ruleContext(for: account)
        let asksBeyond = !query.needs.isDisjoint(with: .surroundings)
        var matches = query.matcher(in: context)
        let terms = query.requiredTerms.map { SearchTerm(SearchTerm.Field($0.field), $0.text) }
        let candidates = try store.search(
            terms, account: account.id, since: query.earliest(now: context.now), limit: Self.historyLimit)
        // Writers are counted by a walk over all mail: once is enough.
        let size = query.needs.contains(.senders) ? max(1, candidates.count) : Self.searchChunk
        for start in stride(from: 0, to: candidates.count, by: size) {
            let chunk = Array(candidates[start..<min(start + size, candidates.count)])
            var seen: Set<EmailID> = []
            let facts = try facts(.ids(chunk), needs: query.needs)
            if asksBeyond {
                matches = query.matcher(
                    in: try surrounded(context, for: facts, needs: query.needs, account: account))
            }
            // A message in several mailboxes is judged where it is nearest to the inbox.
            let ordered =
                facts.filter { $0.mailbox.role == .inbox } + facts.filter { $0.mailbox.role != .inbox }
            try body(
                ordered.filter { message in
                    (query.asksMailbox || !Self.isNoHistory(message.mailbox)) && matches(message)
                        && seen.insert(message.id).inserted
                })
        }
    }

    /// More mail than any account of a person holds.
    private static let historyLimit = 2_000_000

    private static func isNoHistory(_ mailbox: Mailbox) -> Bool {
        switch mailbox.role {
        case .drafts, .sent, .trash, .junk: true
        case .inbox, .archive, .flagged, .all, .deferred, nil: false
        }
    }

    /// What the rules would do with old mail, wherever it stands. Nothing is sent: answers to old mail are left out, and
    /// what is delegated stays a draft.
    public func plan(
        forHistory query: Query, account id: AccountID, rules library: RuleLibrary, limit: Int?,
        isAgain: Bool = false
    ) throws -> Plan {
        let account = try requireAccount(id)
        let busy = try store.messagesWithOpenSteps(of: account.id)
        var found: [MessageFacts] = []
        try history(of: account, matching: query) { messages in
            found += messages.lazy.filter { !busy.contains($0.id) }.map(\.withoutContent)
        }
        var context = try surrounded(
            ruleContext(for: account, remembering: isAgain ? [] : [.ids(found.map(\.id))]), for: found,
            needs: library.rules.needs, account: account)
        if !isAgain { try RuleMemory(self, library).recall(into: &context, for: found, account: account.id) }
        context.allowSend = false
        var request = Planner.Request(account: account.id, rulesDigest: library.digest)
        request.todoRules = try store.links(for: Array(Set(found.flatMap(\.openTodos)))).mapValues(\.rule)
        var plan = try Planner.decide(
            found, library.rules, context, request,
            names: { try store.ownNames(account: account.id, in: $0) },
            reading: reader(for: library.rules))
        plan.leaveOutAnswers()
        plan.leaveOutWhatIsSo(try stepContext(account))
        let looked = plan.items.count
        plan.items.removeAll { $0.isUntouched && $0.protectedBy == nil && $0.warnings.isEmpty }
        if looked > plan.items.count {
            plan.warnings.append(
                "\(looked - plan.items.count) of \(counted(looked, "message that matches stays", "messages that match stay")) as "
                    + (looked == 1 ? "it is" : "they are"))
        }
        if let reason = try brake(on: plan) {
            plan.warnings.append(reason.text + "; look before you apply it")
        }
        if let limit { plan.keepNewest(limit) }
        return plan
    }
}

extension MessageFacts {
    /// Header and text let go: rules ask for them again where they need them.
    fileprivate var withoutContent: MessageFacts {
        guard !headers.isEmpty || text != nil else { return self }
        var facts = self
        facts.take(MessageContent(headers: [], text: nil))
        return facts
    }
}

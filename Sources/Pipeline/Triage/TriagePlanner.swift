import Accounts
import Logging
import MailStore
import Models
import Planner
import Rules

/// Makes a plan from the facts of an account's mail and the rules. Changes nothing.
struct TriagePlanner: Sendable {
    let accounts: AccountAccess
    let store: Store
    let loader: FactLoader
    let surroundings: Surroundings
    let oldMail: OldMail
    let brakes: BrakeCheck
    let refused: RefusedMessages
    let wakingMail: WakingMail

    /// A plan for the account's inbox and the other mailboxes that rules name.
    ///
    /// - Parameters:
    ///   - id: The account.
    ///   - library: The rules.
    ///   - query: Only matching messages.
    ///   - limit: The maximum number of messages to change; the newest are first.
    ///   - allowance: How much mail all accounts of the command together may still send.
    ///   - todos: The open tasks in the folder; nil: those of the last run.
    ///   - isAgain: Judge messages again on which rules already acted, and those that were undone.
    ///   - threads: Only inbox messages in these threads; nil: all mail of the rules' mailboxes.
    ///   - rule: Only the decisions of this rule; the others are judged as well, because one of them may stop
    ///     the judgement.
    ///   - validity: Ended when the rules may decide differently; at once if they have something to do.
    /// - Returns: The plan to show and execute.
    /// - Throws: If the store cannot be read.
    func plan(
        for id: AccountID, rules library: RuleLibrary, matching query: Query? = nil, limit: Int?,
        sending allowance: inout SendAllowance, todos: OpenTodos? = nil, isAgain: Bool = false,
        threads: [ThreadID]? = nil, only rule: String? = nil, validity: Validity? = nil
    ) throws -> Plan {
        let account = try accounts.require(id)
        let busy = try store.journal.messagesWithOpenSteps(of: account.id)
        let rules = library.rules
        var needs = rules.needs
        if let query { needs.formUnion(query.needs) }
        // Header and text are read later, and only for messages that rules cannot judge without them.
        let reading = loader.reader(for: rules)
        let asOpen = { (facts: [MessageFacts]) in todos?.applied(to: facts) ?? facts }
        let inbox = asOpen(try self.inbox(of: account, threads))
        let others = try threads == nil ? factsBesideInbox(account, rules).map(asOpen) : []
        let beside = others.flatMap(\.self).withoutDeferredLists
        let all = beside.isEmpty ? inbox : inbox + beside
        var base = try timed(
            surroundings.ruleContext(for: account, remembering: isAgain ? [] : triaged(account, rules)), rules
        )
        base.validity = validity
        var context = try surroundings.surrounded(
            base, for: all, needs: needs, account: account, forRules: true)
        if let todos { context.todos = todos.todos }
        if !isAgain {
            try RuleMemory(store: store, loader: loader, library: library).recall(
                into: &context, for: all, account: account.id)
        }
        let asked = try query.map { try matching($0, all, in: context) }
        let refused = refused.messages
        var request = Planning.Request(account: account.id, rulesDigest: library.digest)
        request.mailboxes = try versions(account, rules)
        let links = try store.todos.links(for: Array(Set(all.flatMap(\.openTodos))))
        request.todoRules = links.mapValues(\.rule)
        request.todoMail = try loader.mail(of: links, besides: all)
        request.undelegated = try undelegated(all, account.id)
        request.beside = beside
        request.company = try loader.company(
            in: Self.shared(all + request.todoMail.values), account: account.id,
            own: accounts.workspace.own(with: account))
        request.leftOut = busy.union(refused)
        if let asked { request.leftOut.formUnion(all.map(\.id).filter { !asked.contains($0) }) }
        let decide = { (context: RuleContext) in
            try Planning.decide(
                inbox, rules, context, request,
                names: { try store.threads.ownNames(account: account.id, in: $0) },
                isAnswer: { try wakingMail.isAnswer($0, account) }, reading: reading)
        }
        var plan = try decide(context)
        let answers = try surroundings.awaited.toWaits(of: plan, account)
        if !answers.isSubset(of: context.awaited) {
            context.awaited.formUnion(answers)
            plan = try decide(context)
        }
        if !plan.isQuiet || !request.leftOut.isEmpty { validity?.end() }
        // In mailboxes that are not triaged as a whole, messages that stay for no special reason get no line.
        if !beside.isEmpty {
            let places = Set(beside.map(\.key))
            plan.items.removeAll {
                $0.isUntouched && $0.protectedBy == nil && $0.warnings.isEmpty && places.contains($0.key)
            }
        }
        if try store.accounts.moveAbility(of: account.id) == .no {
            let staying = plan.keepInPlace()
            if staying > 0, try !store.accounts.wasToldOfMoves(account.id) {
                plan.warnings.append(Self.cannotMove(staying))
            }
        }
        if let asked { plan.items.removeAll { !asked.contains($0.message) } }
        var waiting = try busy.filter(isMail)
        if !busy.isEmpty {
            plan.items.removeAll { item in
                let waits =
                    busy.contains(item.message) || item.threadKeys.contains { busy.contains($0.message) }
                if waits { waiting.insert(item.message) }
                return waits
            }
        }
        if !refused.isEmpty { plan.items.removeAll { refused.contains($0.message) } }
        if let rule { plan.keepOnly(rule) }
        if let limit { plan.keepNewest(limit) }
        if !isAgain {
            try EarlierMail(store: store, loader: loader, accounts: accounts.workspace.accounts)
                .leaveOut(of: &plan, account, sending: &allowance)
        }
        plan.keep(within: &allowance)
        plan.noteNewMailboxes(besides: context.mailboxes)
        plan.restrict(
            to: account.permissions, account.permissionsPlace?.description,
            missing: accounts.missingRoles(of: account, among: context.mailboxes))
        NeedlessCopies(try accounts.stepContext(account)).leaveOut(of: &plan)
        if let reason = try brakes.reason(against: plan) {
            plan.warnings.append(reason.text + "; check the plan before you apply it")
        }
        if !waiting.isEmpty {
            plan.warnings.append(
                counted(waiting.count, "message waits", "messages wait")
                    + " for steps of an earlier run and \(waiting.count == 1 ? "was" : "were") left out")
        }
        return plan
    }

    /// Not a draft, or a mail in the outbox: rules do not judge what the user has not sent yet.
    private func isMail(_ id: EmailID) throws -> Bool {
        try store.messages.places(of: id).contains { $0.mailbox.role != .drafts }
    }

    private func inbox(of account: Account, _ threads: [ThreadID]?) throws -> [MessageFacts] {
        guard let threads else { return try judgeable(.role(account.id, .inbox)) }
        return try judgeable(.threads(threads)).filter {
            $0.key.account == account.id && $0.mailbox.role == .inbox
        }
    }

    private func judgeable(_ selection: FactSelection) throws -> [MessageFacts] {
        try loader.facts(selection, needs: []).filter { !$0.isMarkedDeleted }
    }

    private static func cannotMove(_ count: Int) -> String {
        "the server offers neither MOVE nor UIDPLUS, so opus moves nothing there: "
            + counted(count, "message stays", "messages stay")
            + " where they are. All other actions of your rules are done. This is reported only once"
    }

    /// Threads with more than one message.
    private static func shared(_ facts: [MessageFacts]) -> [ThreadID] {
        var seen: Set<ThreadID> = []
        return Array(Set(facts.lazy.map(\.thread).filter { !seen.insert($0).inserted }))
    }

    /// The matching messages, with the parts of header and text that the query needs.
    private func matching(
        _ query: Query, _ all: [MessageFacts], in context: RuleContext
    ) throws -> Set<EmailID> {
        var found: Set<EmailID> = []
        let matches = query.matcher(in: context)
        let asksContent = !query.needs.isDisjoint(with: .content)
        for start in stride(from: 0, to: all.count, by: FactLoader.chunk) {
            let chunk = all[start..<min(start + FactLoader.chunk, all.count)]
            let contents =
                asksContent ? try loader.contents(chunk.map(\.id), query.needs, headerNames: nil) : [:]
            for var facts in chunk {
                if let content = contents[facts.id] { facts.take(content) }
                if matches(facts) { found.insert(facts.id) }
            }
        }
        return found
    }

    /// The messages of the other mailboxes that rules name, by mailbox.
    private func factsBesideInbox(_ account: Account, _ rules: RuleSet) throws -> [[MessageFacts]] {
        try triaged(account, rules).dropFirst().map(judgeable)
    }

    /// The inbox, and after it the other mailboxes that rules name.
    private func triaged(_ account: Account, _ rules: RuleSet) throws -> [FactSelection] {
        [.role(account.id, .inbox)]
            + (try rules.triagedMailboxes(among: store.sync.mailboxes(of: account.id)).map {
                .mailbox(account.id, $0.name)
            })
    }

    private func timed(_ context: RuleContext, _ rules: RuleSet) throws -> RuleContext {
        var context = context
        guard let account = context.mailboxes.first?.account else { return context }
        let timed = Set(rules.timedRules)
        if !timed.isEmpty {
            context.timers.merge(try store.rules.timers(of: account).filter { timed.contains($0.key) }) { $1 }
        }
        return context
    }

    /// The open delegations of these messages whose draft a server refused.
    private func undelegated(_ messages: [MessageFacts], _ account: AccountID) throws -> Set<TodoID> {
        let refused = try store.runs.refusedDrafts(account: account)
        guard !refused.isEmpty else { return [] }
        let open = try store.todos.openTodos(Array(Set(messages.flatMap(\.openTodos))))
        return Set(
            open.values.filter { $0.delegatedMessageID.map(refused.contains) ?? false }.map(\.id))
    }

    private func versions(_ account: Account, _ rules: RuleSet) throws -> [Plan.MailboxVersion] {
        let mailboxes = try store.sync.mailboxes(of: account.id)
        let looked = mailboxes.filter { $0.role == .inbox } + rules.triagedMailboxes(among: mailboxes)
        return try looked.compactMap { mailbox in
            try store.sync.syncState(of: account.id, mailbox: mailbox.name).map {
                Plan.MailboxVersion(name: mailbox.name, uidValidity: $0.uidValidity)
            }
        }
    }
}

extension Plan {
    /// Keeps only the decisions of one rule. A message is not moved if another rule wanted to move it.
    mutating func keepOnly(_ rule: String) {
        items = items.compactMap { item in
            var item = item
            item.decisions.removeAll { $0.rule != rule }
            item.shadowed.removeAll { $0.rule != rule }
            item.answered = item.answered.map { $0.filter { $0.rule == rule } }
            if item.disposition == .keep { item.threadKeys = [] }
            return item.decisions.isEmpty ? nil : item
        }
    }

    /// Keeps the newest `limit` items with changes; the others wait for the next run.
    mutating func keepNewest(_ limit: Int) {
        let touched = decided.filter { !items[$0].isUntouched }.map { items[$0] }.sorted { $0.date > $1.date }
        guard touched.count > limit else { return }
        let late = Set(touched.dropFirst(limit).map(\.message))
        items.removeAll { late.contains($0.message) }
        warnings.append(
            "\(counted(late.count, "more message waits", "more messages wait")) for the next run (--max \(limit); --max none removes the limit)"
        )
    }
}

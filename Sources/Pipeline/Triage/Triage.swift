import Accounts
import Executor
import Logging
import MIMEParser
import MailStore
public import Models
import Planner
public import Rules
import Synchronization

/// Triage: the facts of the inbox, the rules, one plan; then the journal, then the account.
extension Session {
    /// A plan for the account's inbox, where nothing else is about to be sent.
    public func plan(for id: AccountID, rules library: RuleLibrary, limit: Int? = nil) throws -> Plan {
        var allowance = try sendAllowance()
        return try plan(for: id, rules: library, limit: limit, sending: &allowance)
    }

    /// A plan for the account's inbox and the other mailboxes that rules name. Nothing is changed.
    ///
    /// - Parameters:
    ///   - id: The account.
    ///   - library: The rules.
    ///   - query: Only messages that match.
    ///   - limit: The most messages that may be touched; the newest come first.
    ///   - allowance: What may still be sent, by all accounts of a command together.
    ///   - isAgain: Rules judge also what they met before, and what was taken back.
    /// - Returns: The plan as it is shown and carried out.
    /// - Throws: When the store cannot be read.
    public func plan(
        for id: AccountID, rules library: RuleLibrary, matching query: Query? = nil, limit: Int?,
        sending allowance: inout SendAllowance, isAgain: Bool = false
    ) throws -> Plan {
        try plan(
            for: id, rules: library, matching: query, limit: limit, sending: &allowance, todos: nil,
            isAgain: isAgain)
    }

    /// The same; with `todos`, by these open tasks and not by those that the last run found.
    func plan(
        for id: AccountID, rules library: RuleLibrary, matching query: Query? = nil, limit: Int?,
        sending allowance: inout SendAllowance, todos: OpenTodos?, isAgain: Bool = false
    ) throws -> Plan {
        let account = try requireAccount(id)
        let busy = try store.messagesWithOpenSteps(of: account.id)
        let rules = library.rules
        var needs = rules.needs
        if let query { needs.formUnion(query.needs) }
        // Header and text are read afterwards, of the messages alone that rules cannot judge without.
        let reading = reader(for: rules)
        let asOpen = { (facts: [MessageFacts]) in todos?.applied(to: facts) ?? facts }
        let inbox = asOpen(try facts(.role(account.id, .inbox), needs: []))
        let others = try factsBesideInbox(account, rules, needs: []).map(asOpen)
        let beside = others.flatMap(\.self)
        let all = beside.isEmpty ? inbox : inbox + beside
        let base = try timed(
            ruleContext(for: account, remembering: isAgain ? [] : triaged(account, rules)), rules)
        var context = try surrounded(base, for: all, needs: needs, account: account, forRules: true)
        if let todos { context.todos = todos.todos }
        if !isAgain { try RuleMemory(self, library).recall(into: &context, for: all, account: account.id) }
        let asked = try query.map { try matching($0, all, in: context) }
        let refused = refused.withLock(\.self)
        var request = Planner.Request(account: account.id, rulesDigest: library.digest)
        request.mailboxes = try versions(account, rules)
        request.todoRules = try store.links(for: Array(Set(all.flatMap(\.openTodos)))).mapValues(\.rule)
        request.beside = beside
        request.company = try company(in: Self.shared(all), account: account.id)
        request.leftOut = busy.union(refused)
        if let asked { request.leftOut.formUnion(all.map(\.id).filter { !asked.contains($0) }) }
        var plan = try Planner.decide(
            inbox, rules, context, request,
            names: { try store.ownNames(account: account.id, in: $0) }, reading: reading)
        // Of a mailbox that is not triaged as a whole, what stays is not worth a line.
        if !beside.isEmpty {
            let places = Set(beside.map(\.key))
            plan.items.removeAll { $0.isUntouched && places.contains($0.key) }
        }
        if try store.moveAbility(of: account.id) == .no {
            let staying = plan.keepInPlace()
            if staying > 0, try !store.wasToldOfMoves(account.id) {
                plan.warnings.append(Self.cannotMove(staying))
            }
        }
        if let asked { plan.items.removeAll { !asked.contains($0.message) } }
        if !busy.isEmpty {
            plan.items.removeAll { item in
                busy.contains(item.message) || item.threadKeys.contains { busy.contains($0.message) }
            }
        }
        if !refused.isEmpty { plan.items.removeAll { refused.contains($0.message) } }
        if let limit { plan.keepNewest(limit) }
        plan.keep(within: &allowance)
        if let reason = try brake(on: plan) {
            plan.warnings.append(reason.text + "; look before you apply it")
        }
        if !busy.isEmpty {
            plan.warnings.append(
                counted(busy.count, "message waits", "messages wait")
                    + " for steps of an earlier run and \(busy.count == 1 ? "was" : "were") left out")
        }
        return plan
    }

    private static func cannotMove(_ count: Int) -> String {
        "the server offers neither MOVE nor UIDPLUS, so nothing is moved there: "
            + counted(count, "message stays", "messages stay")
            + " where they are. Everything else in your rules is done; this is said once"
    }

    /// Threads of more than one message.
    private static func shared(_ facts: [MessageFacts]) -> [ThreadID] {
        var seen: Set<ThreadID> = []
        return Array(Set(facts.lazy.map(\.thread).filter { !seen.insert($0).inserted }))
    }

    /// Queues the plan's steps in one transaction and carries them out. `isAgain`: also what the journal has from before.
    public func apply(_ plan: Plan, command: String, isAgain: Bool = false) async throws -> RunReport {
        let account = try requireAccount(plan.account)
        let library = ruleLibrary(of: plan)
        var context = try stepContext(account)
        context.names = try ownNames(in: plan)
        if isAgain { context.again = try "again " + commandToken() }
        let delegating = try await Delegating.prepare(
            plan, session: self, account: account, names: context.names)
        let work = try Planner.work(
            for: plan, context: context, compose: delegating.compose, answer: answer(account),
            write: delegating.write)
        var report = try await carryOut(
            work, account: account, command: command, rulesDigest: plan.rulesDigest,
            ruleDigests: library.map { RuleDigests.of($0).mapValues(\.kept) } ?? [:],
            shadowed: plan.shadowedCounts, hits: library.map { plan.hits($0.rules) } ?? [],
            asksWhenInterrupted: true)
        report.notices = try notices(of: plan)
        return report
    }

    /// What messages are called of which something is made, and whose `Message-ID` belongs to another one: that one may be
    /// known by the store, or by the task that was made of it.
    private func ownNames(in plan: Plan) throws -> OwnNames {
        let making = plan.items.filter { $0.decisions.contains { $0.action.hasIdentity } }
        let threads = Array(Set(making.map(\.thread)))
        var names = try store.ownNames(account: plan.account, in: threads)
        let todos = Planner.todos(of: plan, names)
        let links = try store.links(for: todos.map(\.todo))
        let taken = todos.filter { links[$0.todo] != nil && links[$0.todo]?.message != $0.message }
        names.digests.merge(try store.digests(of: taken.map(\.message))) { _, own in own }
        return names
    }

    /// What rules want the person to know, one line each; a stranger's words are in it, unescaped.
    private func notices(of plan: Plan) throws -> [String] {
        let told = plan.items.filter { item in item.decisions.contains { $0.action.isNotice } }
        let ids = try shortIDs(told.map(\.message))
        return told.flatMap { item in
            let id = ids[item.message] ?? item.message.rawValue
            return item.decisions.compactMap { decision -> String? in
                switch decision.action {
                case .notify(let text): "\(text)  (opus show \(id))"
                case .unsubscribe: "leave this list? \(item.subject)  (opus unsubscribe \(id))"
                case .keep, .archive, .trash, .junk, .move, .deferUntil, .label, .unlabel, .flag, .unflag,
                    .mark, .task, .delegate, .vacation, .letter, .waiting, .saveFiles:
                    nil
                }
            }
        }
    }

    /// Marks facts, queues steps, drains the journal.
    func carryOut(
        _ work: QueuedWork, account: Account, command: String, rulesDigest: String = "",
        undoes: RunID? = nil, ruleDigests: [String: String] = [:], shadowed: [String: Int] = [:],
        hits: [RuleHit] = [], asksWhenInterrupted: Bool = false
    ) async throws -> RunReport {
        var report = RunReport(account: account.id)
        async let door = door(of: account, for: work.steps)
        if !work.isEmpty {
            var run = NewRun(
                account: account.id, startedAt: now, command: command, rulesDigest: rulesDigest,
                undoes: undoes, ruleDigests: ruleDigests, shadowed: shadowed, hits: hits)
            run.asksWhenInterrupted = asksWhenInterrupted
            let queued = try store.queue(
                run, steps: work.steps, remembered: work.remembered.map { ($0.rule, $0.message) },
                deferrals: work.deferrals.map { ($0.message, $0.until) },
                links: work.links.map { ($0.todo, $0.message, $0.rule) },
                autoReplies: work.autoReplies.map { ($0.rule, $0.sender) })
            report.run = queued.id
            report.queued = queued.queued.count
        } else {
            try store.noteHits(hits, account: account.id, at: now)
        }
        report.drain = try await drain(account, running: report.run, door: door)
        return report
    }

    /// Logs in while the steps are being queued, where one of them will want it at once.
    private func door(of account: Account, for steps: [Step]) async -> Result<Void, any Error> {
        guard steps.contains(where: { $0.state != .planned && $0.isDue(at: now) }) else {
            return .success(())
        }
        do {
            return .success(try await connected(account) { _ in })
        } catch {
            return .failure(error)
        }
    }

    /// Carries out whatever waits in the journal and is due. Connects only when something is.
    ///
    /// An account that cannot be reached, or refuses the login, is no failure of the journal: task files are written, the
    /// rest waits, and the report says why. `door`: how an attempt to connect ended that was made just now.
    func drain(
        _ account: Account, running: RunID? = nil, door: Result<Void, any Error> = .success(())
    ) async throws -> DrainReport {
        guard try store.hasDueSteps(of: account.id, at: now) else {
            if let running { try store.release([running]) }
            var report = DrainReport()
            report.later = try store.openSteps(of: account.id)
            return report
        }
        do {
            try door.get()
            return try await connected(account) { connection in
                let report = try await makeDrain(account, connection.makeSink(), connection.submitter).run(
                    running)
                refused.withLock { $0.formUnion(report.rejected.compactMap(\.message)) }
                if report.interruption == nil, report.confirmed.contains(where: \.addsMessage) {
                    try await readBack(account, over: connection)
                }
                return report
            }
        } catch let problem as Problem {
            guard let halt = problem.halt else { throw problem }
            return try makeDrain(account, NoSink(), nil).runOffline(running, because: problem.message, halt)
        }
    }

    private func makeDrain(
        _ account: Account, _ sink: any MailSink, _ submitter: (any MailSubmitter)?
    ) -> Drain {
        Drain(
            account: account.id, store: store, tasks: tasks, files: files, sink: sink, submitter: submitter,
            route: account.route, now: now, logger: logger)
    }

    /// A message that was put into a mailbox is read back at once, so that the next sync finds nothing new. When that
    /// fails the next sync finds it.
    private func readBack(_ account: Account, over connection: AccountConnection) async throws {
        do {
            _ = try await sync(account, over: connection)
        } catch {
            try Task.checkCancellation()
            logger.notice(
                "what was put into a mailbox is read back by the next sync", metadata: ["error": "\(error)"])
        }
    }

    func facts(_ selection: FactSelection, needs: FactNeeds) throws -> [MessageFacts] {
        var parts: FactParts = []
        if needs.contains(.headers) { parts.insert(.headers) }
        if needs.contains(.text) { parts.insert(.text) }
        return try store.facts(selection, including: parts, decodeHeaders: { HeaderBlock.fields(of: $0) })
    }

    /// Header and text of messages, as far as they are needed. `headerNames`: of the header only these fields; nil: all.
    func contents(
        _ ids: [EmailID], _ needs: FactNeeds, headerNames: Set<String>?
    ) throws -> [EmailID: MessageContent] {
        var parts: FactParts = []
        if needs.contains(.headers) { parts.insert(.headers) }
        if needs.contains(.text) { parts.insert(.text) }
        return try store.contents(
            of: ids, including: parts,
            decodeHeaders: { block in
                headerNames.map { HeaderBlock.fields(of: block, named: $0) } ?? HeaderBlock.fields(of: block)
            })
    }

    /// Those of the messages that match, header and text read as far as the query asks for them.
    private func matching(
        _ query: Query, _ all: [MessageFacts], in context: RuleContext
    ) throws -> Set<EmailID> {
        var found: Set<EmailID> = []
        let matches = query.matcher(in: context)
        let asksContent = !query.needs.isDisjoint(with: .content)
        for start in stride(from: 0, to: all.count, by: Self.searchChunk) {
            let chunk = all[start..<min(start + Self.searchChunk, all.count)]
            let contents = asksContent ? try contents(chunk.map(\.id), query.needs, headerNames: nil) : [:]
            for var facts in chunk {
                if let content = contents[facts.id] { facts.take(content) }
                if matches(facts) { found.insert(facts.id) }
            }
        }
        return found
    }

    /// The messages of the other mailboxes that rules name, mailbox by mailbox.
    func factsBesideInbox(
        _ account: Account, _ rules: RuleSet, needs: FactNeeds
    ) throws -> [[MessageFacts]] {
        try triaged(account, rules).dropFirst().map { try facts($0, needs: needs) }
    }

    /// The inbox, and after it the other mailboxes that rules name.
    private func triaged(_ account: Account, _ rules: RuleSet) throws -> [FactSelection] {
        [.role(account.id, .inbox)]
            + (try rules.triagedMailboxes(among: store.mailboxes(of: account.id)).map {
                .mailbox(account.id, $0.name)
            })
    }

    private func timed(_ context: RuleContext, _ rules: RuleSet) throws -> RuleContext {
        var context = context
        guard let account = context.mailboxes.first?.account else { return context }
        for rule in rules.timedRules {
            let ran = try store.meta(Self.timerKey(account, rule)).flatMap { Int64($0) }
            if let ran { context.timers[rule] = Timestamp(seconds: ran) }
        }
        return context
    }

    /// Remembers that the rules with a time of their own have had their turn. A plan that its limit may have cut short
    /// is none: they look again with the next run.
    public func noteTimers(after plan: Plan, _ library: RuleLibrary, limit: Int?) throws {
        // The plan was shown: what it says of moves need not be said again.
        if try store.moveAbility(of: plan.account) == .no { try store.noteToldOfMoves(plan.account) }
        if let limit, plan.items.count(where: { !$0.isUntouched }) >= limit { return }
        for rule in library.rules.timedRules {
            try store.setMeta(Self.timerKey(plan.account, rule), String(plan.now.seconds))
        }
    }

    private static func timerKey(_ account: AccountID, _ rule: String) -> String {
        "timer \(account) \(rule)"
    }

    private func versions(_ account: Account, _ rules: RuleSet) throws -> [Plan.MailboxVersion] {
        let mailboxes = try store.mailboxes(of: account.id)
        let looked = mailboxes.filter { $0.role == .inbox } + rules.triagedMailboxes(among: mailboxes)
        return try looked.compactMap { mailbox in
            try store.syncState(of: account.id, mailbox: mailbox.name).map {
                Plan.MailboxVersion(name: mailbox.name, uidValidity: $0.uidValidity)
            }
        }
    }
}

extension Plan {
    /// On how many messages each rule came too late.
    fileprivate var shadowedCounts: [String: Int] {
        var counts: [String: Int] = [:]
        for item in items {
            for rule in Set(item.shadowed.map(\.rule)) { counts[rule, default: 0] += 1 }
        }
        return counts
    }

    /// Leaves the newest `limit` touched items; the rest wait for the next run.
    mutating func keepNewest(_ limit: Int) {
        let touched = items.filter { !$0.isUntouched }.sorted { $0.date > $1.date }
        guard touched.count > limit else { return }
        let late = Set(touched.dropFirst(limit).map(\.message))
        items.removeAll { late.contains($0.message) }
        warnings.append(
            "\(counted(late.count, "more message waits", "more messages wait")) for the next run (--max \(limit); --max none lifts it)"
        )
    }
}

/// What one run did.
public struct RunReport: Sendable {
    public var account: AccountID
    /// nil when there was nothing to queue.
    public var run: RunID?
    public var queued = 0
    public var drain = DrainReport()
    /// What rules want the person to know. A stranger's words are in it.
    public var notices: [String] = []

    public init(account: AccountID) { self.account = account }

    /// The code that the command ends with for this account.
    public var exit: ExitStatus {
        switch drain.halt {
        case .loginRefused: .loginRefused
        case .offline: .temporary
        case .lost, nil: drain.failures.isEmpty ? .done : .someFailed
        }
    }

    public var didNothing: Bool {
        queued == 0 && drain.confirmed.isEmpty && drain.failures.isEmpty && notices.isEmpty
    }
}

extension Action {
    /// Whether it makes a task or a mail, which are known by the message that they are made of.
    fileprivate var hasIdentity: Bool {
        switch self {
        case .task, .delegate, .waiting, .letter: true
        case .keep, .archive, .trash, .junk, .move, .deferUntil, .label, .unlabel, .flag, .unflag, .mark,
            .vacation, .notify, .unsubscribe, .saveFiles:
            false
        }
    }

    fileprivate var isNotice: Bool {
        if case .notify = self { return true }
        return self == .unsubscribe
    }
}

extension Step {
    fileprivate var addsMessage: Bool {
        switch kind {
        // A draft that is removed goes to the trash.
        case .append, .remove: true
        case .createTodo, .updateTodo, .removeTodo, .restoreTodo, .submit, .store, .move, .wait, .saveFile,
            .removeFile:
            false
        }
    }
}

import Accounts
import MIMEParser
import MailStore
import Models
import Planner
import Rules

/// Updates deferred mail in each run: reads dates, forgets deferrals that the user ended, and returns
/// messages that are due or got an answer.
struct DeferralRounds: Sendable {
    let workspace: Workspace
    let store: Store
    let loader: FactLoader
    let lists: DeferredLists
    let waking: WakingMail
    let leaving: LeavingMail
    let clock: SessionClock

    /// Reads new lists of the account, forgets deferrals that ended in another program, and notes deferrals
    /// that started there.
    func settle(_ account: Account, _ context: StepContext) async throws {
        let mailbox = try lists.mailbox(of: context)
        let knowsDates = try await lists.read(mailbox, account: account)
        try settle(mailbox.waiting, account.id, knowsDates: knowsDates)
        try forgetRules(of: account.id, context)
    }

    /// The messages that come back now. Changes nothing. `rules`: those that the same command applies afterwards.
    func returning(
        of account: Account, _ context: StepContext, before rules: AppliedRules?
    ) throws -> QueuedWork {
        // Without permission to move, nothing can come back, so the dates are kept.
        guard account.permissions.allows(.move) else { return QueuedWork() }
        let deferrals = try store.deferrals.all(account: account.id)
        let elsewhere = AnswersElsewhere(workspace: workspace, store: store, loader: loader, waking: waking)
        let answered = try answered(account, rules).union(elsewhere.answered(deferrals, of: account))
        let places = Dictionary(grouping: try lists.mailbox(of: context).waiting, by: \.id)
        let decisions = try store.deferrals.lastDecisions(
            among: deferrals.map(\.message).filter { places[$0] != nil })
        let deliveries = changedDeliveries(deferrals, decisions, places)
        let byRules = Set(try store.deferrals.byRules(account: account.id).map(\.message))
        let deferred = deferrals.compactMap { deferral -> DeferredMessage? in
            guard let facts = places[deferral.message], let first = facts.first else { return nil }
            return DeferredMessage(
                facts: first, until: deliveries[deferral.message] ?? deferral.until,
                places: facts.map {
                    MessagePlace(message: $0.id, key: $0.key, mailbox: $0.mailbox, flags: $0.flags)
                }, isAnswered: answered.contains(deferral.message),
                isByHand: decisions[deferral.message]?.isByHand
                    ?? !byRules.contains(deferral.message))
        }
        var work = DeferralSteps.returning(
            deferred, company: try company(of: deferred, at: context.now, account), context: context)
        let back = Set(work.deferrals.map(\.message))
        var delivering = context
        delivering.token = try CommandToken.next(in: store)
        let steps = HandSteps(verb: BundleDelivery.verb, context: delivering)
        for deferral in deferrals where !back.contains(deferral.message) {
            guard let until = deliveries[deferral.message] else { continue }
            work.steps.append(steps.wait(deferral.message, until: until, before: deferral.until))
            work.deferrals.append(.init(message: deferral.message, until: until))
        }
        return work
    }

    /// To whom the user wrote in the conversations of which only a part is due.
    private func company(
        of deferred: [DeferredMessage], at now: Timestamp, _ account: Account
    ) throws -> Company {
        let due = Set(deferred.filter { $0.returns(at: now) }.map(\.facts.conversation))
        guard !due.isEmpty else { return Company() }
        let others = deferred.filter {
            !$0.returns(at: now) && due.contains($0.facts.conversation)
        }
        return try loader.company(
            in: Array(Set(others.map(\.facts.thread))), account: account.id, own: workspace.own(with: account)
        )
    }

    /// The new dates of bundled mail whose delivery was changed in opus.yaml. Mail whose date the user changed keeps it.
    private func changedDeliveries(
        _ deferrals: [Deferral], _ decisions: [EmailID: DeferralDecision], _ places: [EmailID: [MessageFacts]]
    ) -> [EmailID: DeferredUntil] {
        let delivery = BundleDelivery(workspace: workspace, now: clock.now)
        var changed: [EmailID: DeferredUntil] = [:]
        for deferral in deferrals {
            guard let decision = decisions[deferral.message], decision.cause == .hand(BundleDelivery.verb),
                case let began = decision.began, (0...Self.longestRun).contains(deferral.setAt - began),
                let message = places[deferral.message]?.first,
                let until = delivery.until(message), until != deferral.until
            else { continue }
            changed[deferral.message] = until
        }
        return changed
    }

    /// How long after its beginning a run sets a date, in seconds. A date that was set later was set by something else, such
    /// as another machine.
    private static let longestRun: Int64 = 600

    /// A message that left the mailbox is no longer deferred. A message that another program moved there gets
    /// the default time, or no date. `knowsDates`: all lists were read. Otherwise one of them may have the date, and the
    /// default time would count as the later decision.
    private func settle(_ waiting: [MessageFacts], _ account: AccountID, knowsDates: Bool) throws {
        let busy = try store.journal.messagesWithOpenSteps(of: account)
        let there = Set(waiting.map(\.id))
        let deferrals = try store.deferrals.all(account: account)
        let known = Set(deferrals.map(\.message))
        let absent = deferrals.filter { !there.contains($0.message) && !busy.contains($0.message) }
        // A message that was just moved may have no place in the store until the next sync.
        let facts = try loader.facts(.ids(absent.map(\.message)), needs: [])
        let placed = Set(facts.map(\.id))
        // The order ends the deferral, so that an undo of the order restores it.
        let orders = try store.orders.mailboxes(of: account)
        let ordered = Set(facts.filter { orders.contains($0.mailbox.name) }.map(\.id))
        for deferral in absent
        where !ordered.contains(deferral.message)
            && (placed.contains(deferral.message) || deferral.until.isOver(at: clock.now))
        {
            try store.deferrals.set(deferral.message, account: account, until: nil, at: clock.now)
        }
        let new = there.subtracting(known).subtracting(busy).sorted()
        guard knowsDates, !new.isEmpty else { return }
        let until = usual()
        for message in new {
            try store.deferrals.assume(message, account: account, until: until, at: clock.now)
        }
    }

    /// The store remembers rules for other stores as long as a message is deferred or back in the inbox, but
    /// at most two months; and that it came back, until it is opened.
    private func forgetRules(of account: AccountID, _ context: StepContext) throws {
        let noted = try store.deferrals.byRules(account: account)
        guard !noted.isEmpty else { return }
        let busy = try store.journal.messagesWithOpenSteps(of: account)
        let names = [context.inbox.name, context.mailbox(for: .deferred).name]
        let facts = try loader.facts(.ids(noted.map(\.message)), needs: [])
        let near = Set(facts.filter { names.contains($0.mailbox.name) }.map(\.id))
        // A message without any place may only be missing from one listing.
        let elsewhere = Set(facts.map(\.id)).subtracting(near)
        let opened = Set(
            facts.filter { $0.mailbox.name == context.inbox.name && $0.flags.contains(.seen) }.map(\.id))
        try store.deferrals.forgetReturns(
            of: noted.filter { $0.rules.contains(RememberedMatch.isBack) && opened.contains($0.message) }.map(
                \.message
            ).filter { !busy.contains($0) })
        let gone = noted.filter { deferral in
            !busy.contains(deferral.message)
                && (elsewhere.contains(deferral.message) || deferral.at + Self.memory < clock.now)
        }
        try store.deferrals.forgetRules(of: gone.map(\.message), account: account)
    }

    /// In seconds.
    private static let memory: Int64 = 60 * 86_400

    /// The setting `defer: { default: … }` of opus.yaml. If it is over, such as `tonight` late in the evening,
    /// the mail has no date.
    private func usual() -> DeferredUntil {
        guard let phrase = workspace.deferDefault, phrase != DeferredUntil.somedayWord else {
            return .someday
        }
        return DeferPhrase(workspace: workspace, now: clock.now).until(phrase) ?? .someday
    }

    /// Deferred messages with a new answer in their conversation. An answer that this command will defer does not
    /// count: it leaves the inbox again.
    private func answered(_ account: Account, _ rules: AppliedRules?) throws -> Set<EmailID> {
        let pairs = try store.deferrals.newerInThread(account: account.id)
        guard !pairs.isEmpty else { return [] }
        let ids = Array(Set(pairs.flatMap { [$0.deferred, $0.answer] }))
        let facts = Dictionary(
            try loader.facts(.ids(ids), needs: []).map { ($0.id, $0) },
            uniquingKeysWith: { first, _ in first })
        let company = try loader.company(
            in: Array(Set(facts.values.map(\.thread))), account: account.id, own: workspace.own(with: account)
        )
        var known: [EmailID: Bool] = [:]
        let answers = try pairs.filter { pair in
            guard let deferred = facts[pair.deferred], let answer = facts[pair.answer],
                company.includes(deferred, with: answer)
            else { return false }
            let isAnswer = try known[answer.id] ?? waking.isAnswer(answer, account)
            known[answer.id] = isAnswer
            return isAnswer
        }
        guard !answers.isEmpty else { return [] }
        let threads = Set(answers.compactMap { facts[$0.answer]?.thread })
        let leaving = try rules.map { try self.leaving.messages(of: Array(threads), account.id, $0) } ?? []
        return Set(answers.filter { !leaving.contains($0.answer) }.map(\.deferred))
    }
}

import Accounts
import MailStore
public import Models
import Planner
import Rules

/// The decisions that a watch makes by itself: those of the rules with `auto: true`, or of all rules, within
/// the brakes. Everything else waits for `opus run`.
struct AutoTriage: Sendable {
    let workspace: Workspace
    let triage: Triage
    let brakes: BrakeCheck
    let sendHistory: SendHistory
    let store: Store
    let clock: SessionClock

    /// The result for one account.
    struct Outcome {
        /// nil: there was nothing to do.
        var report: RunReport?
        /// Why nothing was done although rules have decisions: the user must confirm the plan.
        var held: HeldPlan?
        /// The mail that rules keep because one of their actions cannot be made.
        var kept: [KeptMail] = []
    }

    /// The rules of the library that are applied.
    func rules(of library: RuleLibrary) -> Set<String> {
        switch workspace.watch.applied {
        case .none: []
        case .auto: library.rules.autoRules
        case .all: Set(library.rules.rules.lazy.filter(\.isEnabled).map(\.id))
        }
    }

    /// `threads`: only inbox mail in these conversations; nil: all mail of the rules' mailboxes.
    func apply(
        _ id: AccountID, _ library: RuleLibrary, in threads: [ThreadID]? = nil
    ) async throws -> Outcome {
        try triage.noteAnswerStarts(of: id, library)
        let chosen = rules(of: library)
        guard !chosen.isEmpty else { return Outcome() }
        // Counts only what is applied: a mail that waits does not use the allowance.
        var plan = try plan(for: id, library, chosen, threads)
        var allowance = try sendHistory.allowance()
        plan.keep(within: &allowance)
        // Only a triage of the whole inbox counts for rules with timers.
        let timed = threads == nil ? Set(library.rules.timedRules).intersection(chosen) : []
        let totals = PlanTotals(plan)
        let kept = KeptMail.all(of: plan)
        guard totals.hasChanges || totals.alreadyDone > 0 else {
            try store.rules.noteTimers(Array(timed), of: id, at: plan.now)
            try triage.noteMatches(of: plan, library)
            return Outcome(kept: kept)
        }
        if let held = try held(plan) { return Outcome(held: held, kept: kept) }
        var report = try await triage.apply(plan, command: "watch", rules: library, finishesByItself: true)
        try store.rules.noteTimers(Array(timed), of: id, at: plan.now)
        // The watch reports kept mail once, and shows it in the status.
        let lines = try triage.notices(ofUnread: report.unread)
        report.notices.removeAll(where: lines.contains)
        report.notices += plan.items.flatMap(\.warnings).draftWarnings
        let unread = zip(report.unread, lines).map { unread, line in
            KeptMail(message: unread.message, failures: [RuleFailure(rule: unread.rule, reason: line)])
        }
        return Outcome(report: report, kept: kept + unread)
    }

    private func plan(
        for id: AccountID, _ library: RuleLibrary, _ chosen: Set<String>, _ threads: [ThreadID]?
    ) throws -> Plan {
        // The limits on sending are applied after the choice of rules.
        var unlimited = SendAllowance.unlimited
        unlimited.isAllowed = workspace.allowSend
        var plan = try triage.plan(for: id, rules: library, limit: nil, sending: &unlimited, threads: threads)
        plan.keepWhatIsDecided(by: chosen)
        return plan
    }

    private func held(_ plan: Plan) throws -> HeldPlan? {
        guard PlanTotals(plan).hasChanges else { return nil }
        if let reason = try brakes.reason(against: plan) {
            return HeldPlan(account: plan.account, plan: plan.id, reason: reason.text)
        }
        let touched = plan.items.count { !$0.isUntouched }
        // Changes by hand say nothing about the rules.
        guard touched > BrakeCheck.firstRun, try store.runs.firstByRules(account: plan.account) == nil else {
            return nil
        }
        return HeldPlan(
            account: plan.account, plan: plan.id,
            reason: "no rules have run on this mail yet, and the plan changes \(counted(touched, "message"))")
    }
}

/// A plan that a watch did not apply: it waits for `opus run`.
public struct HeldPlan: Hashable, Sendable {
    public var account: AccountID
    public var plan: String
    public var reason: String
}

extension Plan {
    /// Keeps the decisions of these rules. If another rule also has a decision about a message, it is not
    /// moved: outside the inbox, that rule would no longer find it.
    mutating func keepWhatIsDecided(by rules: Set<String>) {
        var waiting: Set<EmailID> = []
        items = items.compactMap { item in
            var item = item
            let others = item.decisions.filter { !rules.contains($0.rule) && $0.action.doesSomething }
            item.decisions.removeAll { !rules.contains($0.rule) }
            item.shadowed.removeAll { !rules.contains($0.rule) }
            item.answered = item.answered.map { $0.filter { rules.contains($0.rule) } }
            item.failures = item.failures.map { $0.filter { rules.contains($0.rule) } }
            if !others.isEmpty { waiting.insert(item.message) }
            if !others.isEmpty, item.disposition != .keep { return nil }
            if item.disposition == .keep { item.threadKeys = [] }
            let isRemembered = !RememberedMatch.refused(of: [item]).isEmpty
            return item.decisions.isEmpty && !isRemembered ? nil : item
        }
        for index in items.indices {
            items[index].threadKeys.removeAll { waiting.contains($0.message) }
        }
    }
}

extension Action {
    fileprivate var doesSomething: Bool { self != .keep && name.family != .tell }
}

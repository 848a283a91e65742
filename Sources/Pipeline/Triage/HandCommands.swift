import Accounts
import MailStore
public import Models
import Planner
import Rules

/// Executes commands by hand (`opus archive`), through the same journal as plans of rules.
public struct HandCommands: Sendable {
    let workspace: Workspace
    let accounts: AccountAccess
    let store: Store
    let loader: FactLoader
    let lookup: MessageLookup
    let protections: ProtectionCheck
    let syncing: AccountSyncing
    let runner: JournalRunner
    let delegating: Delegating
    let whole: WholeRun
    let clock: SessionClock

    /// One plan for each account with one of the messages.
    ///
    /// All ids are resolved first. The command fails if an id matches no message or several, or if a mailbox
    /// or label is invalid. `ids` are as typed; a message that is named twice counts once. With `account`,
    /// all messages must be in that account.
    public func plans(for verb: HandVerb, ids: [String], account: String? = nil) throws -> [Plan] {
        let allowed = account == nil ? nil : Set(try accounts.ids(named: account))
        var order: [AccountID] = []
        var asked: [AccountID: [EmailID]] = [:]
        var seen: Set<EmailID> = []
        for typed in ids {
            let detail = try lookup.message(typed)
            guard allowed?.contains(detail.account) ?? true else {
                throw Problem.otherAccount(typed, detail.account, not: account ?? "")
            }
            guard detail.places.contains(where: { !$0.isMissing }) else {
                throw Problem(
                    "gone", exit: .notFound, message: "\(typed) is no longer in any mailbox",
                    next: ["opus sync"])
            }
            guard seen.insert(detail.id).inserted else { continue }
            if asked[detail.account] == nil { order.append(detail.account) }
            asked[detail.account, default: []].append(detail.id)
        }
        return try order.map { try plan(for: verb, asked[$0] ?? [], account: accounts.require($0)) }
    }

    private func plan(for verb: HandVerb, _ ids: [EmailID], account: Account) throws -> Plan {
        let action = try action(verb.effect, account)
        for permission in Permission.allCases where action.permissions.contains(permission) {
            try account.require(permission)
        }
        if verb.effect.isCancel { try requireDeferred(ids) }
        var reach = verb.takesThread == true ? HandReach.conversation : .message
        if verb.takesThread == nil, case .place(let place) = action, place.takesThread { reach = .company }
        return try plan(
            for: HandWish(verb: verb.name, action: action, reach: reach, isForced: verb.isForced), ids,
            account: account)
    }

    /// What the request would change with the whole conversations.
    private func wholePlan(_ wish: HandWish, _ ids: [EmailID], _ account: Account) throws -> Plan {
        var wish = wish
        wish.reach = .conversation
        return try plan(for: wish, ids, account: account)
    }

    /// Says how many messages of the conversations stay because the writers have no part in them.
    private static func staying(_ plan: Plan, of whole: Plan) -> [String] {
        func keys(_ plan: Plan) -> Set<MessageKey> {
            Set(plan.items.flatMap { [$0.key] + $0.threadKeys.map(\.key) })
        }
        let count = keys(whole).subtracting(keys(plan)).count
        guard count > 0 else { return [] }
        return [
            "\(counted(count, "message")) of the conversation "
                + (count == 1 ? "stays, because it is" : "stay, because they are")
                + " not from the people of the message that you named; name "
                + (count == 1 ? "it to include it" : "them to include them")
        ]
    }

    /// The plan for one request about messages of the account.
    func plan(for wish: HandWish, _ ids: [EmailID], account: Account) throws -> Plan {
        let library = try protectingRules(wish)
        let needs = library?.rules.needs ?? []
        let facts = try loader.facts(.ids(ids), needs: needs)
        if case .make(let make) = wish.action, let mailbox = make.copyDestination {
            try requireCopies(of: facts, to: mailbox)
        }
        var threads: [ThreadID: [MessageFacts]] = [:]
        if wish.reach != .message {
            for thread in Set(facts.map(\.thread)) {
                threads[thread] = try loader.facts(.thread(thread), needs: needs).filter {
                    $0.key.account == account.id
                }
            }
        }
        let places = Dictionary(grouping: facts, by: \.id)
        var plan = Planning.byHand(
            wish, messages: ids.compactMap { places[$0] }, threads: threads,
            company: try loader.company(
                in: Array(threads.keys), account: account.id, own: workspace.own(with: account)),
            protections: try protections.entries(
                library, facts + threads.values.flatMap(\.self), account, isByHand: true),
            context: try accounts.decisionContext(account))
        plan.noteNewMailboxes(besides: try store.sync.mailboxes(of: account.id))
        if plan.newMailboxes != nil { try account.require(.create) }
        try accounts.requireMailboxes(of: plan, account, among: try store.sync.mailboxes(of: account.id))
        if wish.reach == .company {
            plan.warnings += try Self.staying(plan, of: wholePlan(wish, ids, account))
        }
        return plan
    }

    /// Executes the plans of all accounts as one run.
    public func apply(_ plans: [Plan], verb: HandVerb) async throws -> [RunReport] {
        whole.begin()
        defer { whole.end() }
        var reports: [RunReport] = []
        for plan in plans { reports.append(try await apply(plan, verb: verb)) }
        return reports
    }

    /// Queues the steps of the plan and executes them. A plan without changes makes no run.
    public func apply(_ plan: Plan, verb: HandVerb) async throws -> RunReport {
        try await apply(plan, command: verb.name)
    }

    /// `command`: the name of the run.
    func apply(_ plan: Plan, command: String) async throws -> RunReport {
        let account = try accounts.require(plan.account)
        var context = try accounts.decisionContext(account)
        context.token = try CommandToken.next(in: store)
        context.deferrals = try store.deferrals.dates(account: account.id)
        let letters = try await delegating.letters(
            for: plan, account: account, names: context.names, isAsked: true)
        for item in plan.items where letters.originals[item.message] == nil {
            guard item.decisions.contains(where: \.action.needsOriginal) else { continue }
            if letters.isLost(item) { throw letters.missing(item) }
            throw Problem(
                "gone", exit: .notFound, message: "\(try shortID(item.message)) is no longer in any mailbox",
                next: ["opus sync"])
        }
        let work = try Planning.workByHand(
            for: plan, context: context, original: { letters.originals[$0.message] })
        guard !work.isEmpty else { return RunReport(account: account.id) }
        try replaceMoves(work, account)
        var report = try await runner.carryOut(
            work, account: account, command: command, asksWhenInterrupted: true)
        report.notices += plan.warnings
        return report
    }

    /// Cancels moves of rules that are held back, if the user moves their messages.
    private func replaceMoves(_ work: QueuedWork, _ account: Account) throws {
        let moved = Set(
            work.steps.compactMap { step in
                if case .move = step.kind { step.message } else { nil }
            })
        let replaced = HeldBackMoves(try store.journal.openSteps(of: account.id)).moves.filter {
            $0.message.map(moved.contains) == true
        }
        if !replaced.isEmpty { try store.journal.cancel(replaced.compactMap(\.id)) }
    }

    /// The same plans after a question to the user, which may have taken a while: syncs the accounts again,
    /// and adds nothing to what was shown.
    public func rechecked(
        _ plans: [Plan], verb: HandVerb, ids: [String], account: String?
    ) async throws -> [Plan] {
        for plan in plans { try await syncing.lookAgain(plan.account) }
        let shown = Set(
            plans.flatMap { $0.items.flatMap { [$0.key] + $0.threadKeys.map(\.key) } })
        return try self.plans(for: verb, ids: ids, account: account).map { plan in
            var plan = plan
            plan.items.removeAll { !shown.contains($0.key) }
            for index in plan.items.indices {
                plan.items[index].threadKeys.removeAll { !shown.contains($0.key) }
            }
            return plan
        }
    }

    // MARK: Arguments

    private func action(_ effect: HandVerb.Effect, _ account: Account) throws -> Action {
        switch effect.action {
        case .archive: .archive
        case .trash: .trash
        case .junk: .junk
        case .move:
            .move(
                to: try effect.createsMailbox
                    ? accounts.mailboxOrNew(effect.value, of: account)
                    : accounts.requireMailbox(effect.value, of: account))
        case .copy: .copy(to: try accounts.requireMailbox(effect.value, of: account))
        case .label: .label(try label(effect.value, account))
        case .unlabel: .unlabel(try label(effect.value, account))
        case .flag: .flag
        case .unflag: .unflag
        case .mark: .mark(read: effect.value == "read")
        case .deferUntil: try deferral(effect.value, account)
        case _:
            throw Problem(
                "bad-action", exit: .usage, message: "\(effect.action.rawValue) is not done by hand")
        }
    }

    private func deferral(_ phrase: String, _ account: Account) throws -> Action {
        if phrase == HandVerb.Effect.none { return .move(to: try accounts.stepContext(account).inbox) }
        guard let until = DeferPhrase(workspace: workspace, now: clock.now).until(phrase) else {
            throw Problem(
                "bad-date", exit: .usage, message: "\"\(phrase)\" is not a future time",
                next: ["friday, +2 weeks, 2026-04-03, \"31 March 17:00\", someday (opus help dates)"])
        }
        return .place(.deferUntil(until))
    }

    private func requireDeferred(_ ids: [EmailID]) throws {
        let places = Dictionary(grouping: try loader.facts(.ids(ids), needs: []), by: \.id)
        let accounts = Set(places.values.joined().map(\.key.account))
        // Some wait in a mailbox that opus.yaml named before.
        let known = Set(try accounts.flatMap { try store.deferrals.all(account: $0) }.map(\.message))
        let inbox = ids.filter { id in
            !known.contains(id) && places[id]?.allSatisfy { $0.mailbox.role != .deferred } ?? true
        }
        guard let first = inbox.first else { return }
        throw Problem(
            "not-deferred", exit: .notFound, message: "\(try shortID(first)) is not deferred",
            next: ["opus defer --list"])
    }

    private func requireCopies(of facts: [MessageFacts], to mailbox: Mailbox) throws {
        for message in facts {
            let reason: String
            switch CopyRefusal(of: message, to: mailbox) {
            case nil: continue
            case .ownMail: reason = "\(mailbox.displayName) is for mail that you write"
            case .noMessageID: reason = "it has no Message-ID"
            case .tooLarge: reason = "it is larger than \(CopyRefusal.largestMegabytes) MB"
            }
            let id = try shortID(message.id)
            throw Problem(
                "cannot-copy", exit: .badData, message: "cannot copy \(id): \(reason)",
                next: ["opus move \(id) MAILBOX"])
        }
    }

    private func shortID(_ message: EmailID) throws -> String {
        try lookup.shortIDs([message])[message] ?? message.rawValue
    }

    /// Gmail's labels are mailboxes and may contain spaces; on other servers, a label is sent as an atom.
    private func label(_ word: String, _ account: Account) throws -> Keyword {
        let isGmail = try store.sync.mailboxes(of: account.id).contains {
            $0.role == .all && StepContext.isGmailsOwn($0)
        }
        let isSound =
            !word.isEmpty && word.utf8.count <= 128
            && !word.unicodeScalars.contains {
                $0.value < 0x20 || (0x7F...0x9F).contains($0.value) || $0 == "\\"
            }
        guard Keyword.isValid(word) || (isGmail && isSound) else {
            throw Problem(
                "bad-label", exit: .usage, message: "\"\(word)\" cannot be a label of account \(account.id)",
                next: ["a to z, digits and - _ . / without spaces"])
        }
        return Keyword(word)
    }

    /// nil if no check is needed. Throws if the rules have errors, because they might protect the message.
    private func protectingRules(_ wish: HandWish) throws -> RuleLibrary? {
        guard wish.action.isDisposition, !wish.isForced else { return nil }
        let library = RuleLibrary.load(workspace)
        guard library.errors.isEmpty else { throw DiagnosticFailure(library.diagnostics, exit: .badData) }
        return library
    }
}

import Accounts
import Executor
import MailStore
import Models
import Planner
import Rules

/// Keeps the list of deferred messages in the account itself, so that the dates survive the loss of the
/// store, and other machines know them. See docs/decisions/0016-deferred-list.md.
struct DeferredLists: Sendable {
    let workspace: Workspace
    let accounts: AccountAccess
    let originals: OriginalsReading
    let store: Store
    let loader: FactLoader
    let clock: SessionClock
    let zone: ZoneClock

    private static let mostBytes = 16 << 20
    /// Enough for the lists of two machines, and some that a crash left behind.
    private static let mostLists = 20
    /// How long the date from another machine is kept before its message arrives. In seconds.
    private static let patience: Int64 = 86_400

    /// The messages of the deferred mailbox: deferred ones, and those that may be lists.
    struct Mailbox {
        var waiting: [MessageFacts] = []
        var lists: [MessageFacts] = []
    }

    func mailbox(of context: StepContext) throws -> Mailbox {
        let name = context.mailbox(for: .deferred).name
        var mailbox = Mailbox()
        let all = try loader.facts(.mailbox(context.account, name), needs: [])
        let lists = try lists(among: all, context.account)
        for facts in all {
            if lists.contains(facts.id) {
                mailbox.lists.append(facts)
            } else {
                mailbox.waiting.append(facts)
            }
        }
        mailbox.waiting += try waitingElsewhere(context, besides: mailbox.waiting)
        return mailbox
    }

    /// Those that may be lists. What arrived by mail is not one, except for a list of this store to which a program has added
    /// a `Received` field.
    private func lists(among all: [MessageFacts], _ account: AccountID) throws -> Set<EmailID> {
        let named = all.filter { DeferredListMail.isToken($0.messageID) }
        guard !named.isEmpty else { return [] }
        let headers = try loader.contents(
            named.map(\.id), [.headers], headerNames: DeferredListMail.headerNames)
        return Set(
            try named.filter { facts in
                guard let content = headers[facts.id], !DeferredListMail.isList(content.headers),
                    let token = facts.messageID
                else { return true }
                return try store.runs.appended(token, account: account) != nil
            }.map(\.id))
    }

    /// Deferred messages that are still where opus put them, in another mailbox: `folders.deferred` of opus.yaml has changed
    /// since.
    private func waitingElsewhere(
        _ context: StepContext, besides here: [MessageFacts]
    ) throws -> [MessageFacts] {
        let there = Set(here.map(\.id))
        let absent = try store.deferrals.all(account: context.account).filter { !there.contains($0.message) }
        guard !absent.isEmpty else { return [] }
        let since = Dictionary(absent.map { ($0.message, $0.setAt) }) { first, _ in first }
        return try loader.facts(.ids(Array(since.keys)), needs: []).filter { facts in
            guard facts.mailbox.role == nil, let setAt = since[facts.id] else { return false }
            return try lastMove(of: facts.id, until: setAt) == facts.mailbox.name
        }
    }

    /// Where opus moved the message last; nil: nowhere, or after it was deferred.
    private func lastMove(of message: EmailID, until deferred: Timestamp) throws -> MailboxName? {
        for (run, step) in try store.runs.runsMentioning(message) where step.state == .confirmed {
            guard case .move(_, let destination) = step.kind else { continue }
            let startedAt = try store.runs.run(run)?.summary.startedAt
            return startedAt.map { $0 <= deferred } ?? false ? destination.name : nil
        }
        return nil
    }

    // MARK: Read

    /// Reads lists that are new in the account, and takes over dates that were set later than those in the
    /// store.
    ///
    /// - Returns: Whether all lists could be read. If not, another machine has just replaced one, and the next sync finds
    ///   the new one, or the server drops the connection at it: until then, opus cannot know which messages have no date.
    func read(_ mailbox: Mailbox, account: Account) async throws -> Bool {
        let present = Set(mailbox.lists.compactMap(\.messageID))
        let known = try store.deferrals.lists(account: account.id)
        try store.deferrals.forgetLists(
            known.map(\.token).filter { !present.contains($0) }, account: account.id)
        let seen = Set(known.map(\.token))
        var isComplete = true
        let new = mailbox.lists.suffix(Self.mostLists).filter { list in
            list.messageID.map { !seen.contains($0) } ?? false && list.size <= Self.mostBytes
        }
        let read = new.isEmpty ? [:] : try await originals.read(new.map(\.id), of: account).bytes
        for list in new {
            guard let token = list.messageID, let bytes = read[list.id] else {
                isComplete = false
                continue
            }
            let content = DeferredListMail.content(of: bytes)
            try remember(content.flatMap(DeferredEntries.init), account: account.id)
            try store.deferrals.note(
                DeferredList(token: token, digest: MessageDigest.of(bytes), content: content),
                account: account.id)
        }
        try take(mailbox.waiting, account: account.id)
        return isComplete
    }

    /// Remembers what rules did with these messages in another store, so that they do not do it again, and which messages
    /// came back there.
    private func remember(_ list: DeferredEntries?, account: AccountID) throws {
        let entries = (list?.entries ?? []).filter { $0.rules?.isEmpty == false }
        let found = try entries.compactMap { entry -> RuleDeferral? in
            guard let id = entry.messageID.map({ MessageID($0) }),
                let message = try store.messages.message(with: id, account: account),
                try store.deferrals.headerDigests(of: [message])[message] == entry.header
            else { return nil }
            return RuleDeferral(message: message, rules: entry.rules ?? [], at: entry.setAt)
        }
        try store.deferrals.take(found, account: account)
    }

    /// The later decision about a message counts.
    private func take(_ waiting: [MessageFacts], account: AccountID) throws {
        let lists = try believed(account)
        guard !lists.isEmpty, !waiting.isEmpty else { return }
        let known = Dictionary(
            try store.deferrals.all(account: account).map { ($0.message, $0) }, uniquingKeysWith: { $1 })
        let digests = try store.deferrals.headerDigests(of: waiting.map(\.id))
        let entries = Dictionary(
            lists.flatMap(\.entries.entries).filter { $0.isBack != true }.map { ($0.header, $0) },
            uniquingKeysWith: { $1.counts(over: $0) ? $1 : $0 })
        let later = waiting.compactMap { facts -> Deferral? in
            guard let entry = digests[facts.id].flatMap({ entries[$0] }) else { return nil }
            if let own = known[facts.id], !entry.decision.counts(over: DeferredEntry.Decision(own)) {
                return nil
            }
            return Deferral(
                message: facts.id, until: entry.until, setAt: entry.setAt,
                isAssumed: entry.isAssumed == true)
        }
        try store.deferrals.take(later, account: account)
    }

    private func believed(_ account: AccountID) throws -> [(list: DeferredList, entries: DeferredEntries)] {
        try store.deferrals.lists(account: account).compactMap { list in
            list.content.flatMap(DeferredEntries.init).map { (list, $0) }
        }
    }

    // MARK: Write

    /// Adds the steps that update the list. The new list is appended first, so that no message is deferred
    /// with a date that is only in the store; the old list is removed last.
    ///
    /// `replacesQueued`: list steps that an earlier command queued, and that these steps replace, are cancelled.
    /// Otherwise a full mailbox would get one more list with each round. Not while another task executes steps.
    func adding(to work: QueuedWork, account: Account, replacesQueued: Bool) throws -> QueuedWork {
        var context = try accounts.stepContext(account)
        context.token = try CommandToken.next(in: store)
        guard try store.accounts.moveAbility(of: account.id) != .no else { return work }
        let mailbox = try mailbox(of: context)
        let wanted = try entries(after: work, mailbox, context)
        let lists = try believed(account.id)
        let current = wanted.flatMap { wanted in lists.first { $0.entries.agrees(with: wanted) } }
        let queued = try queued(wanted, current?.list.token, context)
        if replacesQueued { try store.journal.cancel(queued.replaced) }
        var result = work
        if let wanted, current == nil, !queued.isAppended {
            let mail = try DeferredListMail(address: account.address, now: clock.now, zone: zone).write(
                wanted)
            let kind = Step.Kind.append(
                to: context.mailbox(for: .deferred), message: mail.message, flags: [.seen], token: mail.token)
            result.steps.insert(DeferralSteps.list(kind, context), at: 0)
        }
        for list in lists
        where list.list.token != current?.list.token && !queued.removed.contains(list.list.token) {
            guard let place = mailbox.lists.first(where: { $0.messageID == list.list.token }) else {
                continue
            }
            let kind = Step.Kind.remove(
                place.key, token: list.list.token, versions: DraftVersions(own: [list.list.digest]))
            result.steps.append(DeferralSteps.list(kind, context))
        }
        return result
    }

    /// Steps for lists that an earlier command queued, and that did not happen yet, such as in a full mailbox.
    private struct QueuedLists {
        /// Whether one of them appends the list that is wanted.
        var isAppended = false
        var removed: Set<MessageID> = []
        /// Steps that would no longer do what is wanted, and of which nothing has happened.
        var replaced: [Int64] = []
    }

    private func queued(
        _ wanted: DeferredEntries?, _ current: MessageID?, _ context: StepContext
    ) throws -> QueuedLists {
        let deferred = context.mailbox(for: .deferred).name
        var queued = QueuedLists()
        for step in try store.deferrals.queuedSteps(account: context.account) {
            var isWanted = false
            if case .remove(_, let token, versions: _) = step.kind, token != current {
                queued.removed.insert(token)
                isWanted = true
            }
            if case .append(to: let mailbox, let message, flags: _, token: _) = step.kind, let wanted,
                current == nil, mailbox.name == deferred,
                DeferredListMail.content(of: message).flatMap(DeferredEntries.init)?.agrees(with: wanted)
                    == true,
                !queued.isAppended
            {
                queued.isAppended = true
                isWanted = true
            }
            if !isWanted, step.state == .ready, let id = step.id { queued.replaced.append(id) }
        }
        return queued
    }

    /// Notes a list that was just appended, and forgets one that was just removed: another command may need
    /// the same list before the next run reads the mailbox.
    func note(_ steps: [Step], account: AccountID) throws {
        for step in steps where step.cause == .deferredList {
            if case .remove(_, let token, versions: _) = step.kind {
                try store.deferrals.forgetLists([token], account: account)
            }
            guard case .append(to: _, let message, flags: _, let token) = step.kind else { continue }
            try store.deferrals.note(
                DeferredList(
                    token: token, digest: MessageDigest.of(message),
                    content: DeferredListMail.content(of: message)), account: account)
        }
    }

    /// The content of the list after the work is done; nil: there is nothing to list.
    private func entries(
        after work: QueuedWork, _ mailbox: Mailbox, _ context: StepContext
    ) throws -> DeferredEntries? {
        let deferred = context.mailbox(for: .deferred).name
        var there = Set(mailbox.waiting.map(\.id))
        let byRules = try byRules(after: work, context)
        var back = Set(byRules.values.filter(\.isInInbox).map(\.deferral.message))
        var untils = Dictionary(
            try store.deferrals.all(account: context.account).map {
                ($0.message, DeferredEntry.Decision($0))
            }, uniquingKeysWith: { $1 })
        let decisions = work.deferralDecisions
        let times = try store.deferrals.decisionTimes(of: decisions.compactMapValues(\.self), at: clock.now)
        for (message, until) in decisions {
            untils[message] = until.map {
                DeferredEntry.Decision(until: $0, setAt: times[message] ?? clock.now, isAssumed: false)
            }
        }
        for step in work.steps {
            guard let message = step.message else { continue }
            guard case .move(let key, let destination) = step.kind else { continue }
            if key.mailbox == deferred { there.remove(message) }
            if key.mailbox == context.inbox.name { back.remove(message) }
            if destination.name == deferred { there.insert(message) }
            if destination.name == context.inbox.name { back.insert(message) }
        }
        let waiting = untils.filter { there.contains($0.key) }
        let rules = byRules.mapValues(\.deferral.rules)
        var entries = try described(waiting, rules)
        entries += try expected(besides: Set(entries.map(\.header)), context.account)
        let returned = byRules.filter { back.contains($0.key) && waiting[$0.key] == nil }
        let known = Set(entries.map(\.header))
        entries += try described(
            returned.mapValues {
                .init(until: .time($0.deferral.at), setAt: $0.deferral.at, isAssumed: false)
            }, rules
        )
        .filter { !known.contains($0.header) }
        .map { entry in
            var entry = entry
            entry.isBack = true
            return entry
        }
        // Without a date too: an answer that comes after the message was deferred wakes it, in every store.
        return entries.isEmpty ? nil : DeferredEntries(entries)
    }

    private struct ByRules {
        var deferral: RuleDeferral
        var isInInbox: Bool
    }

    /// The messages that rules deferred, including those that the work defers.
    private func byRules(after work: QueuedWork, _ context: StepContext) throws -> [EmailID: ByRules] {
        var found: [EmailID: RuleDeferral] = [:]
        for deferral in try store.deferrals.byRules(account: context.account) {
            found[deferral.message] = deferral
        }
        let deferred = Set(work.deferrals.filter { $0.until != nil }.map(\.message))
        for message in deferred { found[message]?.rules.removeAll { $0 == RememberedMatch.isBack } }
        for match in work.remembered.filter({ deferred.contains($0.message) }) + work.returns {
            let known = found[match.message]?.rules ?? []
            found[match.message] = RuleDeferral(
                message: match.message, rules: Set(known + [match.rule]).sorted(), at: clock.now)
        }
        found = found.filter { !$0.value.rules.isEmpty }
        let facts = try loader.facts(.ids(Array(found.keys)), needs: [])
        forgetDelivered(facts, &found)
        let inbox = Set(facts.filter { $0.mailbox.name == context.inbox.name }.map(\.id))
        return found.mapValues { ByRules(deferral: $0, isInInbox: inbox.contains($0.message)) }
    }

    /// Once the delivery of a bundle is over, no store defers its mail again, so the list need not say so.
    private func forgetDelivered(_ facts: [MessageFacts], _ found: inout [EmailID: RuleDeferral]) {
        let delivery = BundleDelivery(workspace: workspace, now: clock.now)
        for message in facts where !delivery.mayWait(message) {
            guard found[message.id]?.rules.contains(BundleDelivery.mark) == true else { continue }
            found[message.id]?.rules.removeAll { $0 == BundleDelivery.mark || $0 == RememberedMatch.isBack }
            if found[message.id]?.rules.isEmpty == true { found[message.id] = nil }
        }
    }

    private func described(
        _ waiting: [EmailID: DeferredEntry.Decision], _ rules: [EmailID: [String]]
    ) throws -> [DeferredEntry] {
        let ids = waiting.keys.sorted()
        let digests = try store.deferrals.headerDigests(of: ids)
        var facts: [EmailID: MessageFacts] = [:]
        for one in try loader.facts(.ids(ids), needs: []) { facts[one.id] = one }
        return ids.compactMap { id in
            guard let decision = waiting[id], let header = digests[id], let facts = facts[id] else {
                return nil
            }
            return DeferredEntry(
                header: header, messageID: facts.messageID?.rawValue, until: decision.until,
                setAt: decision.setAt, from: facts.from.first?.description ?? "", subject: facts.subject,
                rules: rules[id], isAssumed: decision.isAssumed ? true : nil)
        }
    }

    /// Dates that another machine set recently, of messages that have not arrived here yet.
    private func expected(besides known: Set<String>, _ account: AccountID) throws -> [DeferredEntry] {
        var found: [String: DeferredEntry] = [:]
        for (list, entries) in try believed(account)
        where try store.drafts.appends(of: list.token, account: account).isEmpty {
            for entry in entries.entries
            where !known.contains(entry.header) && entry.setAt + Self.patience > clock.now
                && entry.setAt <= clock.now
            {
                // Of mail that is back and was opened here, the other machine did not know.
                if entry.isBack == true, try isKnown(entry, account) { continue }
                if let other = found[entry.header], !entry.counts(over: other) { continue }
                found[entry.header] = entry
            }
        }
        return Array(found.values)
    }

    private func isKnown(_ entry: DeferredEntry, _ account: AccountID) throws -> Bool {
        guard let id = entry.messageID else { return false }
        return try store.messages.message(with: MessageID(id), account: account) != nil
    }
}

extension QueuedWork {
    /// Until when the work defers messages; nil: it ends their deferral.
    fileprivate var deferralDecisions: [EmailID: DeferredUntil?] {
        var decisions: [EmailID: DeferredUntil?] = [:]
        for change in deferrals { decisions.updateValue(change.until, forKey: change.message) }
        for step in steps {
            guard case .wait(let until, before: _) = step.kind, let message = step.message else { continue }
            decisions.updateValue(until, forKey: message)
        }
        return decisions
    }
}

extension DeferredEntry.Decision {
    fileprivate init(_ deferral: Deferral) {
        self.init(until: deferral.until, setAt: deferral.setAt, isAssumed: deferral.isAssumed)
    }
}

import Accounts
import MailStore
public import Models
import Planner
import Rules

/// Bundles of the inbox: lists them, archives them with one command, and delivers them as configured.
public struct Bundling: Sendable {
    let workspace: Workspace
    let accounts: AccountAccess
    let store: Store
    let loader: FactLoader
    let lines: MessageLines
    let protections: ProtectionCheck
    let runner: JournalRunner
    let whole: WholeRun
    let clock: SessionClock

    /// The verb in the journal for a bundled message that waits for delivery.
    private static let verb = BundleDelivery.verb

    /// Labels that make a bundle, according to `bundles:` in opus.yaml.
    public var labels: [Keyword: Bundle] { workspace.bundleLabels }

    /// The bundles in the inbox.
    public func inbox(account name: String?) throws -> [MailBundle] {
        let all = try accounts.ids(named: name).flatMap { id in
            try lines.of(loader.facts(.role(id, .inbox), needs: []), account: accounts.require(id))
        }
        return MailBundle.grouping(
            all.sorted { ($0.facts.received, $0.facts.id) > ($1.facts.received, $1.facts.id) }, labels: labels
        ).bundles
    }

    /// Archives the bundles with these names in one run.
    public func clear(_ names: [String], account name: String?) async throws -> [RunReport] {
        let present = try inbox(account: name)
        let chosen = try names.map { name in
            guard let bundle = present.first(where: { $0.bundle.name.lowercased() == name.lowercased() })
            else {
                throw Problem(
                    "no-such-bundle", exit: .notFound, message: "the inbox has no bundle \"\(name)\"",
                    next: present.isEmpty
                        ? ["opus list"] : ["one of: " + present.map(\.bundle.name).joined(separator: ", ")])
            }
            return bundle
        }
        whole.begin()
        defer { whole.end() }
        var reports: [RunReport] = []
        let facts = chosen.flatMap { $0.lines.map(\.facts) }
        for (id, messages) in Dictionary(grouping: facts, by: \.key.account).sorted(by: { $0.key < $1.key }) {
            var context = try accounts.stepContext(accounts.require(id))
            context.token = try CommandToken.next(in: store)
            let steps = HandSteps(verb: "clear bundle", context: context)
            var work = QueuedWork()
            for message in messages {
                work.steps.append(steps.move(message.id, message.key, to: context.mailbox(for: .archive)))
            }
            reports.append(
                try await runner.carryOut(work, account: accounts.require(id), command: "clear bundle"))
        }
        return reports
    }

    /// Run for one account after its triage: new mail of a bundle with a schedule is deferred until the next
    /// delivery. Each message is deferred once.
    func schedule(_ id: AccountID) async throws -> RunReport? {
        let account = try accounts.require(id)
        let waiting = try waiting(account, after: nil)
        guard !waiting.isEmpty else { return nil }
        var context = try accounts.stepContext(account)
        context.token = try CommandToken.next(in: store)
        let steps = HandSteps(verb: Self.verb, context: context)
        var work = QueuedWork()
        for (message, _, until) in waiting {
            work.steps.append(steps.move(message.id, message.key, to: context.mailbox(for: .deferred)))
            work.deferrals.append(.init(message: message.id, until: until))
            work.remembered.append(RememberedMatch(rule: BundleDelivery.mark, message: message.id))
        }
        return try await runner.carryOut(work, account: account, command: Self.verb)
    }

    /// What ``schedule(_:)`` would do after this plan, by bundle. `besides`: messages that would not be in the inbox.
    func preview(after plan: Plan, besides gone: Set<EmailID>) throws -> [BundlePreview] {
        let waiting = try waiting(accounts.require(plan.account), after: plan).filter {
            !gone.contains($0.message.id)
        }
        return Dictionary(grouping: waiting, by: \.bundle).sorted { $0.key < $1.key }.compactMap {
            bundle, all in
            all.first.map { first in
                BundlePreview(
                    account: plan.account, names: BundleNames(bundle, writers: all.map(\.message.from.first)),
                    messages: all.map(\.message.id), until: first.until)
            }
        }
    }

    private typealias Waiting = (message: MessageFacts, bundle: Bundle, until: DeferredUntil)

    /// Mail of the inbox, as it is or as `plan` would leave it, that has not waited yet, here or according to the list of
    /// deferred mail, and that neither came back from another deferral nor was put into the inbox by the user.
    private func waiting(_ account: Account, after plan: Plan?) throws -> [Waiting] {
        let id = account.id
        let delivery = BundleDelivery(workspace: workspace, now: clock.now)
        guard workspace.bundles.contains(where: { $0.deliver != nil }),
            try store.accounts.moveAbility(of: id) != .no,
            account.permissions.allows(.move)
        else { return [] }
        let busy = try store.journal.messagesWithOpenSteps(of: id)
        let labels = labels
        let planned = plan.map(PlannedLabels.init)
        let inbox = try loader.facts(.role(id, .inbox), needs: []).filter {
            !busy.contains($0.id) && !$0.isMarkedDeleted
        }
        let bundled = inbox.compactMap { message -> (message: MessageFacts, bundle: Bundle)? in
            guard let keywords = planned.map({ $0.keywords(of: message) }) ?? message.keywords else {
                return nil
            }
            return MailBundle.bundle(of: keywords, labels: labels).map { (message, $0) }
        }
        let ids = bundled.map(\.message.id)
        let known = try store.rules.rememberedMatches(account: id, of: .ids(ids))
        let delivered = try store.journal.messages(ids, movedBy: Self.verb).union(
            known.filter { $0.value.contains(BundleDelivery.mark) }.keys
        ).union(store.deferrals.returned(among: ids)).union(store.deferrals.broughtBack(among: ids))
        let new = bundled.filter { message, bundle in
            guard !delivered.contains(message.id), let phrase = delivery.phrase(of: bundle) else {
                return false
            }
            return !delivery.isOver(message, phrase: phrase)
        }
        let protected = try protected(new.map(\.message.id), account, withTask: planned?.withTask ?? [])
        return new.compactMap { message, bundle in
            guard !protected.contains(message.id), let phrase = delivery.phrase(of: bundle) else {
                return nil
            }
            let until =
                delivery.first(for: message, phrase: phrase)
                ?? DeferPhrase(workspace: workspace, now: clock.now).until(phrase)
            return until.map { (message, bundle, $0) }
        }
    }

    /// The messages that `protect` in the rules keeps in the inbox. If the rules cannot be read now, all of them stay.
    /// `threads`: conversations that get a task before.
    private func protected(
        _ messages: [EmailID], _ account: Account, withTask threads: Set<ThreadID>
    ) throws -> Set<EmailID> {
        guard !messages.isEmpty else { return [] }
        let library = RuleLibrary.load(workspace)
        guard library.errors.isEmpty else { return Set(messages) }
        var facts = try loader.facts(.ids(messages), needs: library.rules.needs)
        for index in facts.indices where threads.contains(facts[index].thread) {
            facts[index].openTodos.append(Self.plannedTask)
        }
        return Set(try protections.entries(library, facts, account).keys)
    }

    /// A task that the plan makes, before it has an id.
    private static let plannedTask = TodoID("planned")
}

/// The labels of messages after a plan.
private struct PlannedLabels {
    private var moved: Set<MessageKey> = []
    private var decided: [EmailID: [Action]] = [:]
    /// The conversations that get a task.
    private(set) var withTask: Set<ThreadID> = []

    init(after plan: Plan) {
        for index in plan.decided {
            let item = plan.items[index]
            decided[item.message, default: []] += item.decisions.map(\.action)
            if item.decisions.contains(where: \.action.makesTask) { withTask.insert(item.thread) }
            if plan.moves(item) { moved.formUnion([item.key] + item.threadKeys.map(\.key)) }
        }
    }

    /// nil: the plan moves the message.
    func keywords(of message: MessageFacts) -> Set<Keyword>? {
        guard !moved.contains(message.key) else { return nil }
        var (flags, keywords) = (message.flags, message.keywords)
        for action in decided[message.id] ?? [] { _ = action.mark(&flags, &keywords) }
        return keywords
    }
}

extension Workspace {
    /// Labels that make a bundle, according to `bundles:`.
    var bundleLabels: [Keyword: Bundle] {
        var labels: [Keyword: Bundle] = [:]
        for settings in bundles {
            for label in settings.labels { labels[label] = settings.bundle }
        }
        return labels
    }
}

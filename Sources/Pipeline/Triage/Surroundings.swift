import Accounts
import MIMEParser
import MailStore
import Models
import Planner
import Rules

/// The facts beyond a message that rules and queries use: its conversation, its tasks, its writer. Reads them
/// from the store for many messages at once, and only those that are needed.
struct Surroundings: Sendable {
    let workspace: Workspace
    let store: Store
    let loader: FactLoader
    let clock: SessionClock

    /// The facts of an account that do not belong to a message, and the past actions of rules.
    func ruleContext(
        for account: Account, remembering messages: [FactSelection] = []
    ) throws -> RuleContext {
        var context = workspace.ruleContext(now: clock.now)
        context.me = Array(Set(workspace.addresses + [account.address])).sorted { $0.addrSpec < $1.addrSpec }
        context.authenticationServers = account.authenticationServers
        context.fileText = try fileText()
        context.known = try store.sync.writtenTo(accounts: workspace.accounts.map(\.id)).inMailSpelling
        let known = try store.sync.mailboxes(of: account.id)
        context.mailboxes = known
        if !account.permissions.allows(.send) {
            context.sendRefusal = account.permissions.refusal(of: .send)
        }
        let naming = NewMailboxes(account: account, known: known)
        context.newMailbox = { naming.mailbox(named: $0) }
        context.firstDay = try workspace.firstRunDays.map { days in
            let begun = try store.runs.firstByRules(account: account.id)
            return FirstDayLimit(begun: begun ?? clock.now, isPreview: begun == nil, days: days)
        }
        for selection in messages {
            for (message, rules) in try store.rules.rememberedMatches(account: account.id, of: selection) {
                for rule in rules { context.remembered.insert(RememberedMatch(rule: rule, message: message)) }
            }
        }
        // A sender is answered once, whatever address they wrote to, and whichever rule answered.
        for reply in try workspace.accounts.flatMap({ try store.rules.autoReplies(of: $0.id) }) {
            let sender = EmailAddress(reply.sender)?.mailComparable ?? reply.sender
            context.autoReplies[sender] = max(context.autoReplies[sender] ?? reply.at, reply.at)
        }
        context.answerStarts = try store.rules.answerStarts(of: account.id)
        return context
    }

    /// The facts of an account that a query needs, without those for rules.
    func ruleContext(for account: Account, asked query: Query) throws -> RuleContext {
        var context = workspace.ruleContext(now: clock.now)
        context.me = Array(Set(workspace.addresses + [account.address])).sorted { $0.addrSpec < $1.addrSpec }
        context.authenticationServers = account.authenticationServers
        context.fileText = try fileText()
        if query.asksKnown {
            context.known = try store.sync.writtenTo(accounts: workspace.accounts.map(\.id)).inMailSpelling
        }
        return context
    }

    /// Reads the text of files for one message at a time, because all of them would need too much memory.
    private func fileText() throws -> (@Sendable (EmailID) -> String?)? {
        guard try store.fileTexts.isUsed() else { return nil }
        let texts = store.fileTexts
        // If a text cannot be read now, the message does not match.
        return { try? texts.text(of: $0) }
    }

    /// Unopened mail of the inbox that came back after the user, and not a rule, deferred it.
    private func deferredByHand(_ account: AccountID) throws -> Set<EmailID> {
        let back = try store.deferrals.returnedToInbox(of: account)
        guard !back.isEmpty else { return [] }
        let byRules = try store.deferrals.byRules(account: account).filter {
            $0.rules.contains { $0 != RememberedMatch.isBack }
        }
        return try store.deferrals.returned(among: back).subtracting(byRules.map(\.message))
    }

    /// The context with the conversations, tasks and writers of these messages. `forRules`: each message
    /// counts only earlier messages of its writer, so that the result of rules does not depend on when they
    /// run.
    func surrounded(
        _ context: RuleContext, for facts: [MessageFacts], needs: FactNeeds, account: Account,
        forRules: Bool = false
    ) throws -> RuleContext {
        var context = context
        if needs.contains(.thread) {
            context.threads = try conversations(of: facts, needs: needs.ofConversations)
        }
        if needs.contains(.tasks) {
            context.todos = try store.todos.openTodos(Array(Set(facts.flatMap(\.openTodos))))
            context.waitsSince = try Departures(
                store: store, loader: loader, own: workspace.addresses, account: account
            ).waits(
                context.todos.values)
        }
        if needs.contains(.answers) {
            // Whether a wait has been answered may depend on the clock.
            context.validity?.end()
            context.answered = Set(
                try waits.read(context.todos.values, of: account).filter { !$0.value.wait.answers.isEmpty }
                    .keys)
        }
        if forRules {
            context.awaited = try awaited.among(facts)
            context.deferredByHand = try deferredByHand(account.id)
        }
        if needs.contains(.returns) {
            context.returned = try store.deferrals.returned(
                among: facts.filter { $0.mailbox.role == .inbox && !$0.flags.contains(.seen) }.map(\.id))
        }
        if needs.contains(.senders) {
            let writers = Set(facts.compactMap { $0.from.first?.comparable })
            if forRules {
                let arrivals = try store.threads.arrivals(account: account.id, of: writers)
                context.writerRanks = WriterRanks.of(facts, arrivals: arrivals)
                context.senderCounts = arrivals.mapValues(\.count)
            } else {
                context.senderCounts = try store.threads.messageCounts(of: writers, account: account.id)
            }
            // A writer without mail in the account has written 0 messages; without an entry, the count is unknown.
            for writer in writers where context.senderCounts[writer] == nil {
                context.senderCounts[writer] = 0
            }
        }
        if needs.contains(.senderTimes) {
            let writers = Set(facts.compactMap { $0.from.first?.comparable })
            context.senderTimes = try store.threads.arrivals(account: account.id, of: writers)
        }
        if needs.contains(.copies) {
            let threads = Set(facts.map(\.thread))
            context.earlierCopies = try store.threads.earlierCopies(
                account: account.id, in: threads.count > Self.fewThreads ? nil : Array(threads))
        }
        return context
    }

    var awaited: AwaitedAnswers { AwaitedAnswers(waits: waits, store: store) }

    private var waits: Waits {
        Waits(
            workspace: workspace, store: store, loader: loader, clock: clock,
            zone: ZoneClock(zone: workspace.timeZone))
    }

    /// For more threads, one pass over all conversations is faster than single look-ups.
    private static let fewThreads = 2_000

    /// Each message once, even if it is in several mailboxes.
    private func conversations(
        of facts: [MessageFacts], needs: FactNeeds
    ) throws -> [ThreadID: [MessageFacts]] {
        let threads = Array(Set(facts.map(\.thread)))
        var seen: Set<EmailID> = []
        let all = try loader.facts(.threads(threads), needs: needs).filter { seen.insert($0.id).inserted }
        return Dictionary(grouping: all, by: \.thread)
    }
}

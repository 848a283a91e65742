import Accounts
import MailStore
import Models
import Planner
import Rules

/// What rules and queries may ask beyond a message, read from the store for many messages at once, and only what is
/// asked for.
extension Session {
    /// Reads header and text for rules that ask for them; of the header only the fields that one of them names.
    func reader(for rules: RuleSet...) -> Planner.ContentReader {
        var names: Set<String>? = []
        for rules in rules { names = names.flatMap { names in rules.headerNames.map(names.union) } }
        let wanted = names
        return { try self.contents($0, $1, headerNames: wanted) }
    }

    /// The context with the conversations, tasks and writers of these messages. `forRules`: of a writer each message counts
    /// those that came before it, so that rules say the same whenever they run.
    func surrounded(
        _ context: RuleContext, for facts: [MessageFacts], needs: FactNeeds, account: Account,
        forRules: Bool = false
    ) throws -> RuleContext {
        var context = context
        if needs.contains(.thread) {
            context.threads = try conversations(of: facts, needs: needs.ofConversations)
        }
        if needs.contains(.tasks) {
            context.todos = try store.openTodos(Array(Set(facts.flatMap(\.openTodos))))
            context.waitsSince = try Departures(session: self, account: account).waits(
                context.todos.values)
        }
        if needs.contains(.senders) {
            let writers = Set(facts.compactMap { $0.from.first?.comparable })
            if forRules {
                let arrivals = try store.arrivals(account: account.id, of: writers)
                context.writerRanks = WriterRanks.of(facts, arrivals: arrivals)
                context.senderCounts = arrivals.mapValues(\.count)
            } else {
                context.senderCounts = try store.messageCounts(of: writers, account: account.id)
            }
            // A writer whose mail has left the account meanwhile was counted all the same.
            for writer in writers where context.senderCounts[writer] == nil {
                context.senderCounts[writer] = 0
            }
        }
        if needs.contains(.copies) {
            let threads = Set(facts.map(\.thread))
            context.earlierCopies = try store.earlierCopies(
                account: account.id, in: threads.count > Self.fewThreads ? nil : Array(threads))
        }
        return context
    }

    /// Beyond it, one walk over all conversations costs less than looking up each.
    private static let fewThreads = 2_000

    /// Each message once, however many mailboxes hold it.
    private func conversations(
        of facts: [MessageFacts], needs: FactNeeds
    ) throws -> [ThreadID: [MessageFacts]] {
        let threads = Array(Set(facts.map(\.thread)))
        var seen: Set<EmailID> = []
        let all = try self.facts(.threads(threads), needs: needs).filter { seen.insert($0.id).inserted }
        return Dictionary(grouping: all, by: \.thread)
    }
}

/// The surroundings of old mail, some hundreds of messages at a time: as they stand, or as they were when each message
/// arrived. Writers are counted once for all.
struct OldSurroundings {
    private let session: Session
    private let account: Account
    private let needs: FactNeeds
    private let base: RuleContext

    /// nil: nothing beyond the messages is asked for.
    init?(
        _ session: Session, _ account: Account, _ context: RuleContext, _ needs: FactNeeds, asTheyStand: Bool
    ) throws {
        guard !needs.isDisjoint(with: .surroundings) else { return nil }
        let arrivals = needs.contains(.senders) ? try session.store.arrivals(account: account.id) : [:]
        var base = context
        if asTheyStand {
            base.senderCounts = arrivals.mapValues(\.count)
        } else {
            base.senderArrivals = arrivals
        }
        self.session = session
        self.account = account
        self.needs = needs.subtracting(.senders)
        self.base = base
    }

    func context(for messages: [MessageFacts]) throws -> RuleContext {
        try session.surrounded(base, for: messages, needs: needs, account: account)
    }
}

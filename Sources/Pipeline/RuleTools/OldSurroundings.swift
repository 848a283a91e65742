import Accounts
import MailStore
import Models
import Planner
import Rules

/// The context of old mail, for a few hundred messages at a time: the current one, or the one when each
/// message arrived. Writers are counted once for all messages.
struct OldSurroundings {
    private let surroundings: Surroundings
    private let account: Account
    private let needs: FactNeeds
    private let base: RuleContext
    /// When the messages of each writer arrived, for the position of each message among them; nil: the base has
    /// what is needed.
    private let arrivals: [String: [Timestamp]]?

    /// nil: the rules need only the messages themselves.
    init?(
        _ surroundings: Surroundings, _ account: Account, _ context: RuleContext, _ needs: FactNeeds,
        asOfToday: Bool
    ) throws {
        guard !needs.isDisjoint(with: .surroundings) else { return nil }
        let arrivals =
            needs.contains(.senders) ? try surroundings.store.threads.arrivals(account: account.id) : [:]
        var base = context
        if asOfToday {
            base.senderCounts = arrivals.mapValues(\.count)
            self.arrivals = arrivals
        } else {
            base.senderArrivals = arrivals
            self.arrivals = nil
        }
        if needs.contains(.senderTimes) { base.senderTimes = arrivals }
        self.surroundings = surroundings
        self.account = account
        self.needs = needs.subtracting([.senders, .senderTimes])
        self.base = base
    }

    func context(for messages: [MessageFacts]) throws -> RuleContext {
        var context = try surroundings.surrounded(base, for: messages, needs: needs, account: account)
        if let arrivals { context.writerRanks = WriterRanks.of(messages, arrivals: arrivals) }
        return context
    }
}

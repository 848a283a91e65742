import Accounts
import MailStore
import Models
import Rules

/// The context of old mail, for a few hundred messages at a time: the current one, or the one when each
/// message arrived. Writers are counted once for all messages.
struct OldSurroundings {
    private let surroundings: Surroundings
    private let account: Account
    private let needs: FactNeeds
    private let base: RuleContext

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
        } else {
            base.senderArrivals = arrivals
        }
        if needs.contains(.senderTimes) { base.senderTimes = arrivals }
        self.surroundings = surroundings
        self.account = account
        self.needs = needs.subtracting([.senders, .senderTimes])
        self.base = base
    }

    func context(for messages: [MessageFacts]) throws -> RuleContext {
        try surroundings.surrounded(base, for: messages, needs: needs, account: account)
    }
}

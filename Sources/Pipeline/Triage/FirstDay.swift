import Accounts
import MailStore
public import Models
import Planner

/// The first day with an existing mailbox: what to do with the backlog.
///
/// A conversation is backlog if all its messages in the inbox are older than `first-run: since`, none is
/// flagged, and it has no open task.
public struct FirstDay: Sendable {
    let workspace: Workspace
    let accounts: AccountAccess
    let store: Store
    let loader: FactLoader
    let byHand: HandCommands
    let syncing: AccountSyncing
    let clock: SessionClock

    /// In days, if opus.yaml has no `first-run: since`.
    public static let usualDays = 21

    /// One offer per account. Changes nothing.
    public func offers(account name: String?) throws -> [FirstDayOffer] {
        try accounts.ids(named: name).map { try offer(accounts.require($0)) }
    }

    private func offer(_ account: Account) throws -> FirstDayOffer {
        let days = workspace.firstRunDays ?? Self.usualDays
        let since = clock.now - Int64(days) * 86_400
        let busy = try store.journal.messagesWithOpenSteps(of: account.id)
        let inbox = try loader.facts(.role(account.id, .inbox), needs: []).filter {
            !busy.contains($0.id) && !$0.isMarkedDeleted
        }
        var offer = FirstDayOffer(
            account: account.id, days: days, inbox: inbox.count, backlog: [], flagged: 0, withTask: 0,
            recent: 0)
        for (_, conversation) in Dictionary(grouping: inbox, by: \.thread) {
            if conversation.contains(where: { $0.received >= since }) {
                offer.recent += conversation.count
            } else if conversation.contains(where: { $0.flags.contains(.flagged) }) {
                offer.flagged += conversation.count
            } else if conversation.contains(where: { !$0.openTodos.isEmpty }) {
                offer.withTask += conversation.count
            } else {
                offer.backlog += conversation.map(\.id)
            }
        }
        offer.backlog.sort()
        return try sparingProtected(offer)
    }

    /// Counts what the rules protect apart. If they have errors, the plan says so.
    private func sparingProtected(_ offer: FirstDayOffer) throws -> FirstDayOffer {
        guard !offer.backlog.isEmpty, let plan = try? plan(for: offer) else { return offer }
        let protected = Set(plan.items.filter { $0.protectedBy != nil }.map(\.message))
        var offer = offer
        offer.backlog.removeAll(where: protected.contains)
        offer.protected = protected.count
        return offer
    }

    /// Archives the backlog, except messages that rules protect.
    public func plan(for offer: FirstDayOffer) throws -> Plan {
        let wish = HandWish(verb: "backlog", action: .archive, reach: .message)
        return try byHand.plan(for: wish, offer.backlog, account: accounts.require(offer.account))
    }

    /// The part of the backlog that may still be archived after the user took time to answer, and the messages that
    /// are left out. Checks the account again, and adds nothing to what was shown.
    func rechecked(_ offer: FirstDayOffer) async throws -> (plan: Plan, leftOut: [StaleItem]) {
        let shown = try plan(for: offer)
        try await syncing.lookAgain(offer.account)
        var current = try self.offer(accounts.require(offer.account))
        let backlog = Set(current.backlog)
        current.backlog = offer.backlog.filter(backlog.contains)
        let inbox = try loader.facts(.role(offer.account, .inbox), needs: [])
        let reasons = Dictionary(inbox.map { ($0.id, $0.isMarkedDeleted ? .flagsChanged : .needed) }) {
            (first: StaleItem.Reason, _) in first
        }
        let leftOut = shown.items.filter { !$0.isUntouched && !backlog.contains($0.message) }.map {
            StaleItem(item: $0, reason: reasons[$0.message] ?? .moved)
        }
        return (try plan(for: current), leftOut)
    }

    func archive(_ plan: Plan) async throws -> RunReport {
        try await byHand.apply(plan, command: "triage")
    }
}

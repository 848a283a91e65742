import Accounts
import MailStore
public import Models
import Planner

/// The first day of a mailbox with history: what to do with the backlog.
///
/// A conversation is backlog if all of it in the inbox is older than `first-run: since` and nothing of it is flagged or has
/// an open task.
public struct FirstDay: Sendable {
    let workspace: Workspace
    let accounts: AccountAccess
    let store: Store
    let loader: FactLoader
    let byHand: HandCommands
    let clock: SessionClock

    /// Days, where opus.yaml has no `first-run: since`.
    public static let usualDays = 21

    /// What is in the inbox of an account, as numbers.
    public struct Offer: Sendable {
        public var account: AccountID
        public var days: Int
        public var inbox: Int
        /// Neither flagged nor with a task.
        public var backlog: [EmailID]
        /// Old conversations with a flag, or with an open task: messages that stay.
        public var flagged: Int
        public var withTask: Int
        /// Messages of conversations that go on.
        public var recent: Int
    }

    /// One for each account. Changes nothing.
    public func offers(account name: String?) throws -> [Offer] {
        try accounts.ids(named: name).map { try offer(accounts.require($0)) }
    }

    private func offer(_ account: Account) throws -> Offer {
        let days = workspace.firstRunDays ?? Self.usualDays
        let since = clock.now - Int64(days) * 86_400
        let busy = try store.journal.messagesWithOpenSteps(of: account.id)
        let inbox = try loader.facts(.role(account.id, .inbox), needs: []).filter { !busy.contains($0.id) }
        var offer = Offer(
            account: account.id, days: days, inbox: inbox.count, backlog: [], flagged: 0, withTask: 0, recent: 0)
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
        return offer
    }

    /// Archives the backlog. What rules protect stays.
    public func plan(for offer: Offer) throws -> Plan {
        let wish = HandWish(verb: HandVerb(.archive).name, action: .archive, takesThread: false)
        return try byHand.plan(for: wish, offer.backlog, account: accounts.require(offer.account))
    }

    func archive(_ plan: Plan) async throws -> RunReport {
        try await byHand.apply(plan, verb: HandVerb(.archive))
    }
}

/// `opus triage --first`: the backlog, then the rules, as one run.
public struct FirstDayFlow {
    private let session: Session
    private let triage: TriageFlow
    private let account: String?
    private let appliesAll: Bool
    private let ask: any Ask
    private let tell: @Sendable (FirstDayEvent) throws -> Void

    public init(
        _ session: Session, _ triage: TriageFlow, account: String?, appliesAll: Bool, ask: any Ask,
        tell: @escaping @Sendable (FirstDayEvent) throws -> Void
    ) {
        self.session = session
        self.triage = triage
        self.account = account
        self.appliesAll = appliesAll
        self.ask = ask
        self.tell = tell
    }

    /// What it does is one run, which is undone as one.
    public func run() async throws -> [RunReport] {
        session.whole.begin()
        defer { session.whole.end() }
        var reports: [RunReport] = []
        for offer in try session.firstDay.offers(account: account) {
            try tell(.offered(offer))
            guard !offer.backlog.isEmpty else { continue }
            guard try appliesAll || ask.answer(.archiveBacklog(offer)) == .yes else { continue }
            let report = try await session.firstDay.archive(try session.firstDay.plan(for: offer))
            try tell(.archived(report))
            reports.append(report)
        }
        return try await reports + triage.apply(try triage.plans())
    }
}

/// The events of a ``FirstDayFlow``, in order; those of the rules come from its ``TriageFlow``.
public enum FirstDayEvent: Sendable {
    /// Before ``Question/archiveBacklog(_:)``.
    case offered(FirstDay.Offer)
    case archived(RunReport)
}

import Models

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

    /// All changes are one run, which can be undone as a whole.
    public func run() async throws -> [RunReport] {
        session.whole.begin()
        defer { session.whole.end() }
        var reports: [RunReport] = []
        for offer in try session.firstDay.offers(account: account) {
            try tell(.offered(offer))
            guard !offer.backlog.isEmpty else { continue }
            guard try appliesAll || ask.answer(.archiveBacklog(offer)) == .yes else { continue }
            let (plan, leftOut) = try await session.firstDay.rechecked(offer)
            try tell(.skipped(try session.triage.skipped(leftOut)))
            let report = try await session.firstDay.archive(plan)
            try tell(.archived(report))
            reports.append(report)
        }
        return try await reports + triage.apply(try triage.plans())
    }
}

/// The events of a ``FirstDayFlow``, in order; those of the rules come from its ``TriageFlow``.
public enum FirstDayEvent: Sendable {
    /// Before ``Question/archiveBacklog(_:)``.
    case offered(FirstDayOffer)
    /// Messages that changed since they were offered.
    case skipped([SavedPlanOutcome.Skipped])
    case archived(RunReport)
}

public import Models

/// Limits what rules make from mail that existed before they first ran: tasks and drafts only for recent
/// mail, and no task about a day that had already passed.
public struct FirstDayLimit: Hashable, Sendable {
    /// When rules were first applied.
    public var begun: Timestamp
    /// Rules have not been applied yet: this judgement counts as the first time.
    public var isPreview: Bool
    /// For mail before this time, rules make neither tasks nor drafts.
    public var since: Timestamp

    public init(begun: Timestamp, isPreview: Bool = false, days: Int) {
        self.begun = begun
        self.isPreview = isPreview
        since = begun - Int64(days) * 86_400
    }

    /// Why an action is left out for a message.
    enum Reason {
        /// The message is too old for tasks and drafts.
        case oldMail
        /// The task was due before rules were first applied.
        case overdue
    }

    /// nil: the action is made.
    func reason(against action: Action, _ facts: MessageFacts, timeZone: String) -> Reason? {
        guard case .make(let make) = action, facts.received < begun else { return nil }
        guard make.makesTask || make.mail != nil else { return nil }
        guard facts.received >= since else { return .oldMail }
        guard case .task(let draft) = make, let due = draft.due else { return nil }
        let end = DatePhrase.instant(of: due, timeZone: timeZone, secondOfDay: 86_399)
        return end.map { $0 < begun } ?? false ? .overdue : nil
    }
}

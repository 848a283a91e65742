public import Models
public import Rules

/// The events of a ``Morning``, in order.
public enum MorningEvent: Sendable {
    /// The rules folder has no rule file: a sentence that says so.
    case noRules(String)
    case syncing(SyncProgress)
    case synced(SyncReport)
    /// Runs that were interrupted, before ``Question/finish(_:)``.
    case interrupted([InterruptedLine])
    /// The user did not want to finish them.
    case leftInterrupted([InterruptedLine])
    case finished(RunReport)
    case followed(FollowReport)
    /// Messages that another program moved to the command mailboxes.
    case ordered(OrderReport)
    /// Mail of strangers that waits in the screener now, and of denied senders.
    case screened(RunReport)
    /// What the screener would hold in a dry run.
    case wouldScreen(ScreenerPreview)
    /// Mail of bundles that waits for its delivery.
    case bundled(RunReport)
    /// Mail of a bundle that would wait for its delivery, in a dry run.
    case wouldBundle(BundlePreview)
    /// A plan that changes nothing; it may have warnings.
    case nothingPlanned(Plan)
    /// What a dry run would apply.
    case previewed(Plan, RuleSet)
    case triage(TriageEvent)
    /// The part of one account failed; the others continue.
    case failed(Problem)
}

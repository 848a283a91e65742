public import Models
public import Rules

/// The events of a ``Morning``, in order.
public enum MorningEvent: Sendable {
    /// The rules folder has no rule file; with a sentence that explains it.
    case noRules(String)
    case syncing(SyncProgress)
    case synced(SyncReport)
    /// Interrupted runs, before ``Question/finish(_:)``.
    case interrupted([InterruptedLine])
    /// Interrupted runs that the user did not want to finish.
    case leftInterrupted([InterruptedLine])
    case finished(RunReport)
    case followed(FollowReport)
    /// Messages that another program moved to the command mailboxes.
    case ordered(OrderReport)
    /// Mail of unknown senders that the screener now holds, and mail of denied senders.
    case screened(Screened)
    /// The mail that the screener would hold, in a dry run.
    case wouldScreen(ScreenerPreview)
    /// Mail of bundles that waits for delivery.
    case bundled(RunReport)
    /// Mail of a bundle that would wait for its delivery after the plan.
    case wouldBundle(BundlePreview)
    /// A plan that changes nothing; it may have warnings.
    case nothingPlanned(Plan)
    /// The plan that would be applied, in a dry run.
    case previewed(Plan, RuleSet)
    case triage(TriageEvent)
    /// The rules have errors, or their tests fail: ``DiagnosticFailure`` or ``FailingRuleTests``. Mail is not triaged.
    case brokenRules(any Error)
    /// The part of one account failed; the others continue.
    case failed(Problem)
}

public import Models

/// The events of a watch of an account.
public enum WatchEvent: Sendable {
    case synced(SyncReport)
    /// What `notify` of a rule says of mail that came since the watch began, one line each. Contains text of senders.
    case notices([String])
    /// Messages that another program moved to the command mailboxes.
    case ordered(OrderReport)
    /// What rules decided by themselves, and what bundles and the screener did.
    case applied(RunReport)
    /// Rules would change something, and a person looks at it first; reported once, until the plan is gone.
    case held(HeldPlan)
    /// The rules on disk are not in force; reported once.
    case brokenRules(Problem)
    /// Edited rules are in force from now on.
    case newRules
    /// What the watch is doing.
    case state(AccountWatch)
    /// Steps that earlier commands left waiting came due and were carried out.
    case delivered(RunReport)
    /// Nothing is under way; `how` says how the watch waits: `IDLE`, `NOTIFY`, `polling`.
    case listening(String)
    /// The connection is gone; the next attempt comes after the delay.
    case lost(Problem, again: Duration)
    /// No sync came to its end for this many seconds, more than twice the longest interval; reported once, until the next sync.
    case silent(Int64)
}

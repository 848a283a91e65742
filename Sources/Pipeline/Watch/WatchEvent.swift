public import Models

/// The events of a watch of an account.
public enum WatchEvent: Sendable {
    case synced(SyncReport)
    /// The lines of `notify` in rules for mail that arrived since the watch started. They contain text of
    /// senders.
    case notices([String])
    /// Messages that another program moved to the command mailboxes.
    case ordered(OrderReport)
    /// The automatic decisions of rules, and the moves of bundles and the screener.
    case applied(RunReport)
    /// A plan of rules that the user must confirm; reported once, until the plan changes.
    case held(HeldPlan)
    /// Rules keep new mail because one of their actions cannot be made: the reasons. They may contain text of
    /// senders.
    case kept([String])
    /// The rules on disk are not in force; reported once.
    case brokenRules(Problem)
    /// Edited rules are in force from now on.
    case newRules
    /// The state of the watch.
    case state(AccountWatch)
    /// Steps of earlier commands were due and have been executed. `returned`: the deferred mail that came back with them.
    case delivered(RunReport, returned: [ReturnedMail])
    /// The watch is waiting; `how` is the method: `IDLE`, `NOTIFY`, `polling`.
    case listening(String)
    /// The connection was lost; the next attempt follows after the delay.
    case lost(Problem, again: Duration)
    /// No sync has finished for this many seconds, more than twice the longest interval. Reported once until the next sync.
    case silent(Int64)
}

public import MailStore
public import Models

/// An unfinished step, with its run.
public struct UnfinishedStep: Sendable {
    public var run: RunID
    /// When it was queued.
    public var queuedAt: Timestamp
    public var step: Step
}

/// The state of an account: waiting steps with the reason, steps that need a decision, and recently refused
/// steps.
public struct AccountStatus: Sendable {
    public var account: AccountID
    /// nil: never.
    public var lastSync: Timestamp?
    /// When the login expires, if that is soon.
    public var loginEnds: Timestamp?
    /// Why the last drain stopped before it tried all steps; nil: it reached the account.
    public var halt: QueueHalt?
    /// opus tries them again when they are due.
    public var waiting: [UnfinishedStep] = []
    /// Steps that wait until the user confirms them.
    public var needsWord: [UnfinishedStep] = []
    /// Permanently refused in the last days; the store shows the mail without their changes.
    public var refused: [UnfinishedStep] = []
    /// Interrupted runs: the next run asks whether to finish them.
    public var interrupted: [RunID] = []

    /// How long a refusal is shown. In seconds.
    static let refusedFor: Int64 = 7 * 86_400

    public var isClear: Bool { waiting.isEmpty && needsWord.isEmpty && refused.isEmpty }
}

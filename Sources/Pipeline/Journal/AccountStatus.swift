public import MailStore
public import Models

/// A step that is not done, with its run.
public struct UnfinishedStep: Sendable {
    public var run: RunID
    /// When it was queued.
    public var queuedAt: Timestamp
    public var step: Step
}

/// The state of an account: steps that wait and why, steps that the user must decide, and steps refused lately.
public struct AccountStatus: Sendable {
    public var account: AccountID
    /// nil: never.
    public var lastSync: Timestamp?
    /// When the user must log in again, if that is soon.
    public var loginEnds: Timestamp?
    /// Why the last attempt to carry out its steps tried none of the rest; nil: it reached the account.
    public var halt: QueueHalt?
    /// opus tries them again when they are due.
    public var waiting: [UnfinishedStep] = []
    /// They wait until the user confirms.
    public var needsWord: [UnfinishedStep] = []
    /// Refused for good in the last days; the store shows the mail as it was.
    public var refused: [UnfinishedStep] = []
    /// Runs that were interrupted: the next run asks whether to finish them.
    public var interrupted: [RunID] = []

    /// How long a refusal is shown. Seconds.
    static let refusedFor: Int64 = 7 * 86_400

    public var isClear: Bool { waiting.isEmpty && needsWord.isEmpty && refused.isEmpty }
}

// The inputs and results of the action journal.

public import Models

/// A plan that is about to be carried out.
public struct NewRun: Hashable, Sendable {
    public var account: AccountID
    /// The time as of which the facts of the plan were read.
    public var startedAt: Timestamp
    /// The command that started it: `triage`, `task done`.
    public var command: String
    public var origin: Plan.Origin
    /// The run that this one undoes.
    public var undoes: RunID?
    /// The first run of the same command; nil: this is the first.
    public var partOf: RunID?
    /// SHA-256 of each rule's text, in hex. Kept for the rules that queue a step.
    public var ruleDigests: [String: String]
    /// For each rule, how many messages it matched too late: an earlier rule or a protection came first.
    public var shadowed: [String: Int]
    /// Matches of rules that only keep or report a message.
    public var hits: [RuleHit]
    /// If the process ends in the middle of the run, opus does the rest only after the user confirms it. The run is in
    /// progress until ``JournalStore/endDraining(of:halt:)``.
    public var asksWhenInterrupted = false

    public init(
        account: AccountID, startedAt: Timestamp, command: String, origin: Plan.Origin = .hand,
        undoes: RunID? = nil, ruleDigests: [String: String] = [:], shadowed: [String: Int] = [:],
        hits: [RuleHit] = []
    ) {
        self.hits = hits
        self.undoes = undoes
        self.ruleDigests = ruleDigests
        self.shadowed = shadowed
        self.account = account
        self.startedAt = startedAt
        self.command = command
        self.origin = origin
    }
}

/// A match of a rule that leaves no step in the journal.
public struct RuleHit: Hashable, Sendable {
    public var rule: String
    public var message: EmailID

    public init(rule: String, message: EmailID) {
        self.rule = rule
        self.message = message
    }
}

public struct QueuedRun: Hashable, Sendable {
    public var id: RunID
    /// In journal order, with their ids.
    public var queued: [Step]
    /// Steps whose key the journal already had.
    public var alreadyQueued: Int
    /// False: the journal had everything already, so it has no run of this id.
    public var isKept = true

    public init(id: RunID, queued: [Step], alreadyQueued: Int) {
        self.id = id
        self.queued = queued
        self.alreadyQueued = alreadyQueued
    }
}

/// The result of a step. `nil` keeps the value in the journal.
public struct StepResult: Hashable, Sendable {
    public var id: Int64
    public var state: Step.State
    public var proof: Step.Proof?
    public var error: String?
    public var hold: Step.Hold?
    /// Where a confirmed move put the message. `uid` 0: the store assigns the next one (Maildir). nil:
    /// unknown; the next sync finds it.
    public var movedTo: MessageKey?
    /// The flags after a confirmed `store`, as the server reported them; nil: as the step requested.
    public var flags: Set<Flag>?
    public var keywords: Set<Keyword>?
    /// The Maildir file's unique name after a move.
    public var remoteName: String?
    /// The action of the rule did not happen: the store forgets the match, so the rule may act again.
    public var forgetsMatch: Bool
    /// The earliest time for another attempt.
    public var dueAt: Timestamp?
    /// The number of attempts, if it differs from the count in the journal: a step that was refused before it
    /// was issued counts, a step that failed because the login was refused does not.
    public var attempts: Int?
    /// Knowledge that is merged into the known outcome.
    public var outcome: StepOutcome
    /// A confirmed `remove` that did not empty the place of the step: it removed another version of the
    /// draft, or nothing.
    public var leavesPlace = false

    public init(
        id: Int64, state: Step.State, proof: Step.Proof? = nil, error: String? = nil,
        hold: Step.Hold? = nil,
        movedTo: MessageKey? = nil, flags: Set<Flag>? = nil, keywords: Set<Keyword>? = nil,
        remoteName: String? = nil, forgetsMatch: Bool = false, dueAt: Timestamp? = nil,
        attempts: Int? = nil, outcome: StepOutcome = StepOutcome()
    ) {
        self.dueAt = dueAt
        self.attempts = attempts
        self.outcome = outcome
        self.id = id
        self.state = state
        self.proof = proof
        self.error = error
        self.hold = hold
        self.movedTo = movedTo
        self.flags = flags
        self.keywords = keywords
        self.remoteName = remoteName
        self.forgetsMatch = forgetsMatch
    }
}

/// A step with the run that contains it.
public struct JournalEntry: Hashable, Sendable {
    public var run: RunID
    /// When it was queued.
    public var queuedAt: Timestamp
    /// Without the bytes of a message or a file.
    public var step: Step

    public init(run: RunID, queuedAt: Timestamp, step: Step) {
        self.run = run
        self.queuedAt = queuedAt
        self.step = step
    }
}

/// A message that will be sent, or was sent: an entry of `opus outbox`.
public struct Submission: Hashable, Sendable {
    public var account: AccountID
    public var run: RunID
    /// When it was queued.
    public var queuedAt: Timestamp
    /// Its kind is `submit`.
    public var step: Step

    public init(account: AccountID, run: RunID, queuedAt: Timestamp, step: Step) {
        self.account = account
        self.run = run
        self.queuedAt = queuedAt
        self.step = step
    }
}

/// Everything that one command did: its first run, and the runs that are part of it.
public struct RunSummary: Hashable, Sendable {
    /// The id of the first run.
    public var id: RunID
    /// In the order in which the command processed them.
    public var accounts: [AccountID]
    public var startedAt: Timestamp
    public var command: String
    public var origin: Plan.Origin
    /// The run that it undid.
    public var undoes: RunID?
    /// The number of its steps in each state; states without steps are left out.
    public var states: [Step.State: Int]

    public init(
        id: RunID, accounts: [AccountID], startedAt: Timestamp, command: String, origin: Plan.Origin,
        undoes: RunID? = nil, states: [Step.State: Int]
    ) {
        self.undoes = undoes
        self.id = id
        self.accounts = accounts
        self.startedAt = startedAt
        self.command = command
        self.origin = origin
        self.states = states
    }

    public var stepCount: Int { states.values.reduce(0, +) }
}

/// A run in the journal: the steps that were queued together, in one account.
public struct RunPart: Hashable, Sendable {
    public var id: RunID
    public var account: AccountID
    /// In journal order.
    public var steps: [Step]
}

public struct RunDetail: Hashable, Sendable {
    public var summary: RunSummary
    /// The first run, followed by the other runs of the same command.
    public var parts: [RunPart]

    /// In journal order.
    public var steps: [Step] { parts.flatMap(\.steps) }
}

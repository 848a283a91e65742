// What goes into the action journal and what comes out of it.

public import Models

/// A plan that is about to be carried out.
public struct NewRun: Hashable, Sendable {
    public var account: AccountID
    /// The clock at which the plan's facts were frozen.
    public var startedAt: Timestamp
    /// The command that started it: `triage`, `task done`.
    public var command: String
    public var origin: Plan.Origin
    /// The run that this one undoes.
    public var undoes: RunID?
    /// The first run of the same command; nil: it is the first.
    public var partOf: RunID?
    /// SHA-256 of each rule's text, hex. Kept for the rules that queue a step.
    public var ruleDigests: [String: String]
    /// For each rule, how many messages it matched too late: an earlier rule or a protection came first.
    public var shadowed: [String: Int]
    /// Matches of rules that only keep or report a message.
    public var hits: [RuleHit]
    /// If the process ends in the middle of the run, opus does the rest only after the user confirms it. The run is in
    /// progress until ``JournalStore/endDraining(of:)``.
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

/// A message on which a rule matched that leaves no step in the journal.
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

/// How a step went. `nil` leaves what the journal has.
public struct StepResult: Hashable, Sendable {
    public var id: Int64
    public var state: Step.State
    public var proof: Step.Proof?
    public var error: String?
    public var hold: Step.Hold?
    /// Where a confirmed move put the message. `uid` 0: the store hands out the next one (Maildir).
    /// nil: not known; the next sync finds it.
    public var movedTo: MessageKey?
    /// The marks that a confirmed `store` left, as the source echoed them; nil: as the step asked.
    public var flags: Set<Flag>?
    public var keywords: Set<Keyword>?
    /// The Maildir file's unique name after a move.
    public var remoteName: String?
    /// What the rule wanted did not happen: the match is no longer remembered, so the rule may ask again.
    public var forgetsMatch: Bool
    /// When it may be tried again.
    public var dueAt: Timestamp?
    /// How often it was tried, where that is not what the journal counted: what was refused before it was issued counts,
    /// what a refused login kept from happening does not.
    public var attempts: Int?
    /// Knowledge that is added to what was known before.
    public var outcome: StepOutcome
    /// A confirmed `remove` that left what is at the step's place: another version of the draft went, or none.
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

/// A step with the run that asked for it.
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

/// A message that is to be sent, or was: what `opus outbox` shows.
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
    /// Of the first one.
    public var id: RunID
    /// In the order in which the command came to them.
    public var accounts: [AccountID]
    public var startedAt: Timestamp
    public var command: String
    public var origin: Plan.Origin
    /// The run that it undid.
    public var undoes: RunID?
    /// How many of its steps are in each state; a state without steps is not in it.
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

/// A run as the journal has it: the steps that were queued together, in one account.
public struct RunPart: Hashable, Sendable {
    public var id: RunID
    public var account: AccountID
    /// In journal order.
    public var steps: [Step]
}

public struct RunDetail: Hashable, Sendable {
    public var summary: RunSummary
    /// The first run, and after it the others of the same command.
    public var parts: [RunPart]

    /// In journal order.
    public var steps: [Step] { parts.flatMap(\.steps) }
}

public import Models

/// What a watch of one account is doing.
public enum WatchPhase: String, Codable, CaseIterable, Sendable {
    /// It waits for the next attempt, or for the user.
    case idle
    case connecting
    case authenticating
    case tokenRefresh = "token-refresh"
    /// It checks which mailboxes have changed.
    case mailboxes
    case headers
    case bodies
    /// It updates threads, and applies rules, task files and the journal.
    case indexing
    /// It waits for changes on the server, or for the next check.
    case listening
    /// It needs the user: because of a refused login, a certificate, or settings.
    case error
}

/// The state of a watch of one account, for `opus status`.
public struct AccountWatch: Codable, Hashable, Sendable {
    public var account: AccountID
    public var phase = WatchPhase.idle
    /// When the phase began.
    public var since: Timestamp
    /// The end of the last successful sync.
    public var lastSync: Timestamp?
    /// The latest time of the next check.
    public var nextTry: Timestamp?
    /// How it listens: `IDLE`, `NOTIFY`, `polling`.
    public var method: String?
    /// Why it is not listening: a code from docs/errors.md, and a sentence.
    public var problem: String?
    public var reason: String?
    /// A plan of rules that a brake holds.
    public var heldPlan: String?
    public var heldBecause: String?
    /// Why rules keep mail although they match: one of their actions cannot be made.
    public var kept: [String]?
    /// How many steps of the journal wait, by the reason; nil: not known yet.
    public var waiting: [StepWait: Int]?

    public init(account: AccountID, since: Timestamp) {
        self.account = account
        self.since = since
    }

    mutating func take(_ problem: Problem?, again: Timestamp?) {
        (self.problem, reason, nextTry) = (problem?.code, problem?.message, again)
        if problem != nil { method = nil }
    }
}

/// The state of a watch, which it keeps in a file while it runs.
public struct WatchRecord: Codable, Hashable, Sendable {
    public var process: Int32
    public var started: Timestamp
    /// When this record was made.
    public var written: Timestamp
    /// The maximum number of seconds between two syncs.
    public var interval: Int64
    public var accounts: [AccountWatch]
    /// Why rules or settings on disk are not in force, one sentence each.
    public var setbacks: [String] = []

    public init(process: Int32, started: Timestamp, interval: Int64, accounts: [AccountWatch]) {
        self.process = process
        self.started = started
        self.interval = interval
        self.accounts = accounts
        written = started
    }

    /// If an account has been silent for too long, the number of seconds; nil: it is fine.
    public func silence(of account: AccountWatch, at now: Timestamp) -> Int64? {
        let silence = now - (account.lastSync ?? started)
        return silence > 2 * interval ? silence : nil
    }
}

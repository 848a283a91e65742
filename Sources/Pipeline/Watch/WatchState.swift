public import Models

/// What a watch of one account is doing.
public enum WatchPhase: String, Codable, CaseIterable, Sendable {
    /// Nothing is under way: it waits for the next try, or for a person.
    case idle
    case connecting
    case authenticating
    case tokenRefresh = "token-refresh"
    /// It asks what changed in which mailbox.
    case mailboxes
    case headers
    case bodies
    /// Threads, rules, tasks and the journal.
    case indexing
    /// It waits for the server to tell of changes, or for the next look.
    case listening
    /// It needs a person: a refused login, a certificate, settings.
    case error
}

/// The state of a watch of one account, as `opus status` shows it.
public struct AccountWatch: Codable, Hashable, Sendable {
    public var account: AccountID
    public var phase = WatchPhase.idle
    /// When the phase began.
    public var since: Timestamp
    /// The last sync that came to its end.
    public var lastSync: Timestamp?
    /// When it looks again by itself at the latest.
    public var nextTry: Timestamp?
    /// How it listens: `IDLE`, `NOTIFY`, `polling`.
    public var method: String?
    /// Why it does not listen: a code of docs/errors.md, and a sentence.
    public var problem: String?
    public var reason: String?
    /// A plan of rules that a brake holds.
    public var heldPlan: String?
    public var heldBecause: String?

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
    /// When the file was written.
    public var written: Timestamp
    /// Seconds between two syncs at the latest.
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

    /// Seconds of silence of an account that are worth a warning; nil: all is well.
    public func silence(of account: AccountWatch, at now: Timestamp) -> Int64? {
        let silence = now - (account.lastSync ?? started)
        return silence > 2 * interval ? silence : nil
    }
}

/// A failure as a person reads it: what, where, why, and the next step; with the exit code that tells scripts.
///
/// Words of servers and file names are kept as they are: the code that shows them escapes them. `Pipeline` gives the
/// typed errors of the lower layers their sentences.
public struct Problem: Error, Equatable, Sendable {
    /// Stable, lower case: `login-refused`.
    public var code: String
    public var exit: ExitStatus
    /// A lower-case clause without a full stop.
    public var message: String
    /// `account work, opus.yaml:14`
    public var place: String?
    /// Further lines of explanation.
    public var details: [String]
    /// Commands or actions that solve the problem.
    public var next: [String]

    public init(
        _ code: String, exit: ExitStatus, message: String, place: String? = nil, details: [String] = [],
        next: [String] = []
    ) {
        self.code = code
        self.exit = exit
        self.message = message
        self.place = place
        self.details = details
        self.next = next
    }
}

/// The exit codes of `opus`, after sysexits.h. `docs/exit-codes.md`.
public enum ExitStatus: Int32, Sendable, CaseIterable {
    case done = 0
    /// Finished, but some items failed.
    case someFailed = 1
    /// `--detailed-exitcode`: the plan has changes.
    case changes = 2
    /// A saved plan no longer fits the mailbox or the rules.
    case stalePlan = 3
    case usage = 64
    case badData = 65
    case notFound = 66
    case unavailable = 69
    case bug = 70
    case cannotCreate = 73
    case inputOutput = 74
    case temporary = 75
    case loginRefused = 77
    case configuration = 78
    case interrupted = 130
}

extension ExitStatus {
    /// The one that says more: a login that is refused before an account that is away, before an item that failed.
    public func worse(_ other: ExitStatus) -> ExitStatus {
        let order: [ExitStatus] = [.done, .someFailed, .temporary, .loginRefused]
        return (order.firstIndex(of: other) ?? 0) > (order.firstIndex(of: self) ?? 0) ? other : self
    }
}

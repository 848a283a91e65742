/// A failure as a person reads it: what happened, where, why, and what to do next; and the exit code for scripts.
///
/// Words of servers and file names are unescaped: the code that shows them escapes them. `Pipeline` makes problems of
/// the typed errors of lower layers.
public struct Problem: Error, Equatable, Sendable {
    /// Never changes, lower case: `login-refused`.
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
    /// Whether another attempt may help although the exit code asks for the user.
    public var mayPass = false

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
    /// The command finished, but some items failed.
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
    /// When a command ends with it, as `opus help exit-codes` and docs/exit-codes.md say it.
    public var meaning: String {
        switch self {
        case .done: "done; also \"nothing to do\" and an empty list"
        case .someFailed:
            "finished, but some items failed or could not be read, a rule test failed, something could not be undone, or a "
                + "brake stopped the plan"
        case .changes: "triage --dry-run --detailed-exitcode: the plan has changes"
        case .stalePlan:
            "a saved plan is partly out of date: the valid part was applied, the rest skipped; or it is older than a day; or "
                + "the plan does not have the id that you gave"
        case .usage: "wrong usage"
        case .badData:
            "bad data: a rule file, a plan file, a description of a message, an .ics file; a file that is too large"
        case .notFound: "an id or a file was not found"
        case .unavailable:
            "a server cannot be reached, or its certificate is not trusted; send and compose --send: the server refused the "
                + "mail"
        case .bug: "a bug"
        case .cannotCreate: "a store, task or plan file cannot be written"
        case .inputOutput: "reading or writing failed"
        case .temporary:
            "temporary: another opus holds the lock for more than a minute, the server is busy, or queued work waits because "
                + "the account cannot be reached"
        case .loginRefused: "login refused; change something before you retry"
        case .configuration: "the configuration is wrong"
        case .interrupted: "interrupted"
        }
    }

    /// The more important of the two: a refused login, then an unreachable account, then a failed item.
    public func worse(_ other: ExitStatus) -> ExitStatus {
        let order: [ExitStatus] = [.done, .someFailed, .temporary, .loginRefused]
        return (order.firstIndex(of: other) ?? 0) > (order.firstIndex(of: self) ?? 0) ? other : self
    }
}

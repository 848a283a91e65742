import IMAPProtocol

/// The times of a wait for changes. RFC 2177 §3.
public struct IdleTiming: Equatable, Sendable {
    /// The time after which IDLE is ended and started again. Servers may log a silent client out after 30 minutes.
    public var renewal = Duration.seconds(IdleStateMachine.renewalSeconds)
    /// The silence after which the client checks whether the server is alive.
    public var silence = Duration.seconds(IdleStateMachine.silenceSeconds)
    /// How long the server may take to answer that check.
    public var patience = Duration.seconds(15)
    /// The same, if the caller has ended the wait.
    public var farewell = Duration.seconds(3)
    /// The pause between two checks of a server without IDLE.
    public var polling = Duration.seconds(180)
    /// The longest wait; nil: no limit.
    public var limit: Duration?

    public init(limit: Duration? = nil) { self.limit = limit }
}

/// The end of a wait for changes.
public struct Waited: Equatable, Sendable {
    public var end: IdleEnd
    /// The numbers at the last check. A sync that begins now covers them: the same numbers count as known later,
    /// whatever the result of that sync.
    public var seen: KnownNumbers?

    public init(_ end: IdleEnd, seen: KnownNumbers? = nil) {
        self.end = end
        self.seen = seen
    }
}

/// How a wait for changes ended.
public enum IdleEnd: Equatable, Sendable {
    /// Something changed in the watched mailbox. The next sync finds out what.
    case changed
    /// Something changed in these other mailboxes too, by exact name; only after ``ChangeCommands/notify(_:)``.
    case changedElsewhere(Set<[UInt8]>)
    /// ``IdleTiming/limit`` has passed.
    case timedOut
    /// The task was cancelled. The connection can still be used.
    case stopped
}

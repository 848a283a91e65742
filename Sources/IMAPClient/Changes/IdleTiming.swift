import IMAPProtocol

/// The times of a wait for changes. RFC 2177 §3.
public struct IdleTiming: Equatable, Sendable {
    /// IDLE is ended and begun again after this long: a server may log a silent client out after 30 minutes.
    public var renewal = Duration.seconds(IdleStateMachine.renewalSeconds)
    /// After a silence of this length the client checks that the peer is alive.
    public var silence = Duration.seconds(IdleStateMachine.silenceSeconds)
    /// How long it may take to answer then.
    public var patience = Duration.seconds(15)
    /// The same when the caller ended the wait.
    public var farewell = Duration.seconds(3)
    /// Between two looks at a server that has no IDLE.
    public var polling = Duration.seconds(180)
    /// The longest wait of all; nil waits forever.
    public var limit: Duration?

    public init(limit: Duration? = nil) { self.limit = limit }
}

/// A wait for changes that is over.
public struct Waited: Equatable, Sendable {
    public var end: IdleEnd
    /// What the mailbox showed at the last look. A sync that begins from here on covers it: the same numbers again are
    /// nothing new, whatever that sync came to.
    public var seen: KnownNumbers?

    public init(_ end: IdleEnd, seen: KnownNumbers? = nil) {
        self.end = end
        self.seen = seen
    }
}

/// How a wait for changes ended.
public enum IdleEnd: Equatable, Sendable {
    /// Something changed in the watched mailbox. A sync will find out what.
    case changed
    /// Also something in these other mailboxes, by their exact names; only after ``ChangeCommands/notify(_:)``.
    case changedElsewhere(Set<[UInt8]>)
    /// ``IdleTiming/limit`` is over.
    case timedOut
    /// The task was cancelled. The connection is as good as before.
    case stopped
}

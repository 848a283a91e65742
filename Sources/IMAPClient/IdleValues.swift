import IMAPProtocol
import Synchronization
import Transport

/// What somebody knows of a mailbox who waits for it to change; nil is not compared.
public struct KnownNumbers: Equatable, Sendable {
    public var exists: Int?
    public var uidValidity: UInt32?
    public var uidNext: UInt32?
    public var highestModSeq: UInt64?

    public init(
        exists: Int? = nil, uidValidity: UInt32? = nil, uidNext: UInt32? = nil,
        highestModSeq: UInt64? = nil
    ) {
        self.exists = exists
        self.uidValidity = uidValidity
        self.uidNext = uidNext
        self.highestModSeq = highestModSeq
    }

    /// What a SELECT or EXAMINE has shown.
    public init(_ mailbox: SelectedMailbox) {
        self.init(
            exists: mailbox.exists, uidValidity: mailbox.uidValidity, uidNext: mailbox.uidNext,
            highestModSeq: mailbox.highestModSeq)
    }

    /// Whether the mailbox has changed since; a number that either side does not have says nothing.
    func differs(from mailbox: SelectedMailbox) -> Bool {
        func differ<Number: Equatable>(_ known: Number?, _ seen: Number?) -> Bool {
            guard let known, let seen else { return false }
            return known != seen
        }
        return differ(exists, mailbox.exists) || differ(uidValidity, mailbox.uidValidity)
            || differ(uidNext, mailbox.uidNext) || differ(highestModSeq, mailbox.highestModSeq)
    }
}

/// The times of a wait for changes. RFC 2177 §3.
public struct IdleTiming: Equatable, Sendable {
    /// IDLE is ended and begun again after so long: a server may log a silent client out after 30 minutes.
    public var renewal = Duration.seconds(IdleStateMachine.renewalSeconds)
    /// With nothing heard for so long the peer is asked whether it lives.
    public var silence = Duration.seconds(IdleStateMachine.silenceSeconds)
    /// How long it may take to answer then.
    public var patience = Duration.seconds(15)
    /// Between two looks at a server that has no IDLE.
    public var polling = Duration.seconds(180)
    /// The longest wait of all; nil waits for ever.
    public var limit: Duration?

    public init(limit: Duration? = nil) { self.limit = limit }
}

/// How long a connection may be silent before something in between cuts it: learned from the cuts.
///
/// A pure value. A proxy that ends silent connections after 8 seconds would make a watch log in and sync again every few
/// seconds; with NOOP in time it stays.
public struct SilenceLimit: Equatable, Sendable {
    /// A cut that comes sooner says nothing of silence, and asking more often would be rude.
    static let shortest = Duration.seconds(2)
    /// What was learned is doubted after so long: the network may be another one.
    static let memory = Duration.seconds(60 * 60)

    private var learned: Duration?
    private var since: ContinuousClock.Instant?

    public init() {}

    /// The connection was cut after so long a silence.
    public mutating func learn(_ silence: Duration, at now: ContinuousClock.Instant = .now) {
        let limit = silence * 3 / 4
        guard limit >= Self.shortest, limit < current(at: now) ?? IdleTiming().silence else { return }
        learned = limit
        since = now
    }

    /// nil: nothing is known to cut.
    public func current(at now: ContinuousClock.Instant = .now) -> Duration? {
        guard let learned, let since, now - since < Self.memory else { return nil }
        return learned
    }

    /// The times of a wait that keeps to it.
    public func timing(limit: Duration?) -> IdleTiming {
        var timing = IdleTiming(limit: limit)
        if let current = current() { timing.silence = min(timing.silence, current) }
        return timing
    }
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
    /// Something changed in the mailbox that was waited for. What, a sync will find.
    case changed
    /// Also something in these other mailboxes, by their exact names; only after ``IMAPClient/notify(_:)``.
    case changedElsewhere(Set<[UInt8]>)
    /// ``IdleTiming/limit`` is over.
    case timedOut
    /// The task was cancelled. The connection is as good as before.
    case stopped
}

/// The wish of somebody outside that a wait shall end.
final class StopSignal: Sendable {
    private struct State {
        var isStopped = false
        var wakeup: Wakeup?
    }

    private let state = Mutex(State())

    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// From now on that wait is the one to end; at once, if the wish came before.
    func arm(_ wakeup: Wakeup) {
        let isStopped = state.withLock { state in
            state.wakeup = wakeup
            return state.isStopped
        }
        if isStopped { wakeup.fire() }
    }

    func stop() {
        let wakeup = state.withLock { state in
            state.isStopped = true
            return state.wakeup
        }
        wakeup?.fire()
    }
}

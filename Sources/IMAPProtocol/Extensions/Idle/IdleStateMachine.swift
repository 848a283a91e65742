/// The client side of one `IDLE`: ask, listen, end, and ask again before the server hangs up.
///
/// A pure value. It owns no socket and reads no clock: its owner reports what happened, performs the ``Action``
/// it gets back, and calls ``end()`` when one of the times below is over. Mail may come between the last sync and
/// the `+`, and no server need tell it again: the owner compares UIDNEXT just before each start, and throws no
/// response away that comes before the `+`.
///
/// See RFC 2177 §3 and RFC 9051 §6.3.13.
///
///     idle = "IDLE" CRLF "DONE"
public struct IdleStateMachine: Sendable {
    /// A server may log a silent client out after 30 minutes: end and ask again before that.
    public static let renewalSeconds = 25 * 60
    /// After a silence of this length, end IDLE and send NOOP: the peer may be gone, which is noticed 15 seconds later.
    public static let silenceSeconds = 60

    public enum State: Equatable, Sendable {
        /// Nothing on the wire. Valid transitions: `.requested`.
        case ready
        /// `IDLE` was sent, `+` was not seen. Valid transitions: `.idling`, `.ending`, `.ready`.
        case requested(CommandTag, endRequested: Bool)
        /// The server tells what happens. Valid transitions: `.ending`, `.ready`.
        case idling(CommandTag)
        /// `DONE` was sent, the end was not seen. Valid transitions: `.ready`.
        case ending(CommandTag)
    }

    /// The owner's next action.
    public enum Action: Equatable, Sendable {
        case sendIdle(CommandTag)
        case sendDone
        /// The server listens for DONE only: mail is reported from here on.
        case listen
        case finish(Completion)
        case wait
    }

    public enum Completion: Equatable, Sendable {
        case ended
        /// The server answered NO or BAD: poll with NOOP from now on instead of asking again.
        case refused(text: String)
    }

    public private(set) var state = State.ready

    public init() {}

    /// The owner wants to idle in the selected mailbox.
    public mutating func start(tag: CommandTag) throws(IdleError) -> Action {
        guard state == .ready else { throw .alreadyRunning }
        state = .requested(tag, endRequested: false)
        return .sendIdle(tag)
    }

    /// The server sent `+`.
    public mutating func receiveContinuation() throws(IdleError) -> Action {
        switch state {
        case .requested(let tag, endRequested: false):
            state = .idling(tag)
            return .listen
        case .requested(let tag, endRequested: true):
            state = .ending(tag)
            return .sendDone
        case .idling:
            // Some servers say `+ idling` once more as a sign of life.
            return .wait
        case .ready, .ending:
            throw .unexpectedContinuation
        }
    }

    /// The owner or one of its timers wants the end. Safe to call in any state.
    public mutating func end() -> Action {
        switch state {
        case .requested(let tag, _):
            // DONE before `+` would be read as a new command: the wish is remembered.
            state = .requested(tag, endRequested: true)
            return .wait
        case .idling(let tag):
            state = .ending(tag)
            return .sendDone
        case .ready, .ending:
            return .wait
        }
    }

    /// The server ended a command.
    public mutating func receiveTagged(
        _ tag: CommandTag, _ response: StatusResponse
    ) throws(IdleError) -> Action {
        switch state {
        case .requested(tag, _), .idling(tag), .ending(tag):
            state = .ready
            return .finish(response.isOK ? .ended : .refused(text: response.text))
        case .ready, .requested, .idling, .ending:
            throw .unknownTag(tag)
        }
    }
}

/// The server, or the owner, broke the order of an IDLE.
public enum IdleError: Error, Equatable, Sendable, CustomStringConvertible {
    case alreadyRunning
    case unexpectedContinuation
    case unknownTag(CommandTag)

    public var description: String {
        switch self {
        case .alreadyRunning: "IDLE is running on this connection already"
        case .unexpectedContinuation: "the server sent a continuation request that IDLE did not ask for"
        case .unknownTag(let tag): "the server ended command \(tag), which is not the running IDLE"
        }
    }
}

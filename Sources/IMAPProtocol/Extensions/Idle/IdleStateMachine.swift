/// The client side of one `IDLE`: start, listen, end, and start again before the server closes the connection. RFC
/// 2177, RFC 9051 §6.3.13.
///
/// A pure value without a socket or a clock: its owner reports events, performs the ``Action`` that it returns, and
/// calls ``end()`` when one of the times below has passed. Mail can arrive between the last sync and the `+`, and the
/// server need not report it again. So the owner compares UIDNEXT just before each start, and processes all responses
/// that come before the `+`.
///
///     idle = "IDLE" CRLF "DONE"
public struct IdleStateMachine: Sendable {
    /// End IDLE and start it again after this time. Servers may log a silent client out after 30 minutes. RFC 2177 §3.
    public static let renewalSeconds = 25 * 60
    /// After this silence, end IDLE and send NOOP. If the connection is dead, this shows it 15 seconds later.
    public static let silenceSeconds = 60

    public enum State: Equatable, Sendable {
        /// No IDLE is running. Valid transitions: `.requested`.
        case ready
        /// The client sent `IDLE` and waits for `+`. Valid transitions: `.idling`, `.ending`, `.ready`.
        case requested(CommandTag, endRequested: Bool)
        /// The server reports changes. Valid transitions: `.ending`, `.ready`.
        case idling(CommandTag)
        /// The client sent `DONE` and waits for the tagged response. Valid transitions: `.ready`.
        case ending(CommandTag)
    }

    /// The owner's next action.
    public enum Action: Equatable, Sendable {
        case sendIdle(CommandTag)
        case sendDone
        /// The server accepts only DONE, and reports mail from here on.
        case listen
        case finish(Completion)
        case wait
    }

    public enum Completion: Equatable, Sendable {
        case ended
        /// The server answered NO: poll with NOOP now, and try IDLE again later.
        case refused(text: String)
        /// The server answered BAD, so it does not know IDLE. Poll with NOOP instead.
        case unknown(text: String)
    }

    public private(set) var state = State.ready

    public init() {}

    /// Starts IDLE in the selected mailbox.
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
            // Some servers repeat `+ idling` as a sign of life.
            return .wait
        case .ready, .ending:
            throw .unexpectedContinuation
        }
    }

    /// Ends IDLE. May be called in any state.
    public mutating func end() -> Action {
        switch state {
        case .requested(let tag, _):
            // Before `+`, the server would read DONE as a new command, so it is sent later.
            state = .requested(tag, endRequested: true)
            return .wait
        case .idling(let tag):
            state = .ending(tag)
            return .sendDone
        case .ready, .ending:
            return .wait
        }
    }

    /// A tagged response.
    public mutating func receiveTagged(
        _ tag: CommandTag, _ response: StatusResponse
    ) throws(IdleError) -> Action {
        switch state {
        case .requested(tag, _), .idling(tag), .ending(tag):
            state = .ready
            switch response.status {
            case .ok: return .finish(.ended)
            case .bad: return .finish(.unknown(text: response.text))
            case .no, .preauth, .bye: return .finish(.refused(text: response.text))
            }
        case .ready, .requested, .idling, .ending:
            throw .unknownTag(tag)
        }
    }
}

/// The server or the owner violated the order of an IDLE.
public enum IdleError: Error, Equatable, Sendable, CustomStringConvertible {
    case alreadyRunning
    case unexpectedContinuation
    case unknownTag(CommandTag)

    public var description: String {
        switch self {
        case .alreadyRunning: "IDLE is already running on this connection"
        case .unexpectedContinuation: "the server sent a continuation request that IDLE did not ask for"
        case .unknownTag(let tag): "the server ended command \(tag), which is not the running IDLE"
        }
    }
}

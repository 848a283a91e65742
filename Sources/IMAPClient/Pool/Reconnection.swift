import Transport

/// The pause before the next attempt after a lost connection: 5, 15, 45 seconds, then 1, 2 and 5 minutes.
///
/// A pure value: its owner waits. A refused login is never repeated, because servers lock accounts after repeated
/// failures.
public struct Reconnection: Equatable, Sendable {
    private static let delays: [Duration] = [
        .seconds(5), .seconds(15), .seconds(45), .seconds(60), .seconds(120), .seconds(300),
    ]

    /// The number of failed attempts since the last success.
    public private(set) var failures = 0

    public init() {}

    /// - Returns: The pause before the next attempt; nil: there must be none.
    public mutating func delay(after error: IMAPClientError) -> Duration? {
        error.isFinal ? nil : delay()
    }

    /// The pause before the next attempt, for callers that have checked the error themselves.
    public mutating func delay() -> Duration {
        defer { failures += 1 }
        return Self.delays[min(failures, Self.delays.count - 1)]
    }

    /// A connection worked.
    public mutating func succeed() { failures = 0 }
}

extension IMAPClientError {
    /// Whether every further attempt fails until the settings or the server change.
    public var isFinal: Bool {
        switch self {
        case .plaintextRefused, .preauthBeforeTLS, .startTLSRefused, .loginRefused, .noLoginMechanism,
            .badCredentials, .missingCapability, .invalidRequest, .unsafe, .notAllowed, .loggedOut:
            true
        case .transport(let error):
            error.isFinal
        case .loginUnavailable, .refused, .partlyDone, .noMailboxSelected, .bye, .limit, .protocol,
            .abandoned:
            false
        }
    }
}

extension TransportError {
    fileprivate var isFinal: Bool {
        switch code {
        case .untrustedCertificate, .plaintextAfterStartTLS, .badCAFile, .notThisMachine: true
        case .unknownHost, .refused, .unreachable, .timedOut, .tlsFailed, .notTLS, .speaksTLS, .closedByPeer,
            .reset, .networkChanged, .cancelled, .closed, .busy, .failed:
            false
        }
    }
}

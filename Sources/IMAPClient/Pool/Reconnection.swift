import Transport

/// How long to wait before a lost connection is tried again: 5, 15, 45 seconds, then 1, 2 and 5 minutes.
///
/// A pure value: its owner sleeps. A login that was refused is never tried again: it would be refused once more,
/// and servers lock an account that keeps guessing.
public struct Reconnection: Equatable, Sendable {
    private static let delays: [Duration] = [
        .seconds(5), .seconds(15), .seconds(45), .seconds(60), .seconds(120), .seconds(300),
    ]

    /// Attempts that failed since the last one that did not.
    public private(set) var failures = 0

    public init() {}

    /// - Returns: how long to wait before the next attempt; nil when there must be none.
    public mutating func delay(after error: IMAPClientError) -> Duration? {
        error.isFinal ? nil : delay()
    }

    /// How long to wait before the next attempt, for owners who have judged the failure themselves.
    public mutating func delay() -> Duration {
        defer { failures += 1 }
        return Self.delays[min(failures, Self.delays.count - 1)]
    }

    /// A connection was made, and something came of it.
    public mutating func succeed() { failures = 0 }
}

extension IMAPClientError {
    /// Whether another attempt fails too until the settings or the server change.
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

import NIOConcurrencyHelpers

/// The open connections of a session. Those that can no longer receive an answer are ended at once, instead of after a
/// timeout.
public final class OpenConnections: Sendable {
    /// A change of this machine.
    public enum Upheaval: Sendable {
        /// Addresses or routes changed: connections without their address or route are lost.
        case network
        /// The machine slept, or the process was stopped: servers and routers may have forgotten all connections.
        case sleep
    }

    private struct Entry {
        weak var connection: Connection?
    }

    private struct DialEntry {
        weak var dial: PendingDial?
    }

    private let entries = NIOLockedValueBox<[Entry]>([])
    private let dials = NIOLockedValueBox<[DialEntry]>([])
    private let silent = NIOLockedValueBox(0)

    public init() {}

    func add(_ connection: Connection) {
        entries.withLockedValue { entries in
            entries.removeAll { $0.connection == nil }
            entries.append(Entry(connection: connection))
        }
    }

    func add(_ dial: PendingDial) {
        dials.withLockedValue { dials in
            dials.removeAll { $0.dial == nil }
            dials.append(DialEntry(dial: dial))
        }
    }

    /// Ends connections that are lost with `.networkChanged`, and those that are being made: their first packet may have
    /// left through the old network, and nothing was sent over them yet. Those over loopback stay, and so does one that must not be ended
    /// by this side: see ``Connection/keepToTheEnd()``.
    ///
    /// - Returns: The number of ended connections.
    public func endLost(after upheaval: Upheaval) -> Int {
        let dialed = endDials()
        guard let network = LocalNetwork.now() else { return dialed }
        return dialed
            + end(.networkChanged) { connection in
                switch upheaval {
                case .network: !connection.isCarried(by: network)
                case .sleep: !connection.isOnThisMachine
                }
            }
    }

    /// Ends connections with `.timedOut` whose peer has neither sent nor taken a byte for at least `limit`, while a caller
    /// waits for that. Those that wait for news stay, and so does one that must not be ended by this side: see
    /// ``Connection/keepToTheEnd()``.
    ///
    /// - Returns: The number of ended connections.
    @discardableResult public func endSilent(for limit: Duration) -> Int {
        let count = end(.timedOut(.receive)) { $0.silence.map { $0 >= limit } ?? false }
        silent.withLockedValue { $0 += count }
        return count
    }

    /// How many connections ``endSilent(for:)`` has ended so far. If it grows during some work, that work should not
    /// connect again now.
    public var silentCount: Int { silent.withLockedValue { $0 } }

    func endDials() -> Int {
        let dials = dials.withLockedValue { $0.compactMap(\.dial) }
        return dials.count { $0.end(.networkChanged) }
    }

    func end(_ code: TransportError.Code, where isLost: (Connection) -> Bool) -> Int {
        let connections = entries.withLockedValue { $0.compactMap(\.connection) }
        return connections.count { isLost($0) && $0.end(code) }
    }
}

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

    private let entries = NIOLockedValueBox<[Entry]>([])

    public init() {}

    func add(_ connection: Connection) {
        entries.withLockedValue { entries in
            entries.removeAll { $0.connection == nil }
            entries.append(Entry(connection: connection))
        }
    }

    /// Ends lost connections with `.networkChanged`, except connections over loopback and those that must be kept; see
    /// ``Connection/keepToTheEnd()``.
    ///
    /// - Returns: The number of ended connections.
    public func endLost(after upheaval: Upheaval) -> Int {
        guard let network = LocalNetwork.now() else { return 0 }
        return end { connection in
            switch upheaval {
            case .network: !connection.isCarried(by: network)
            case .sleep: !connection.isOnThisMachine
            }
        }
    }

    func end(where isLost: (Connection) -> Bool) -> Int {
        let connections = entries.withLockedValue { $0.compactMap(\.connection) }
        return connections.count { isLost($0) && $0.endByNetwork() }
    }
}

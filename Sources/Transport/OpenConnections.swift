import NIOConcurrencyHelpers

/// The open connections of a session, so that those to which no answer can come any more are ended at once, instead of when
/// the answer is missed.
public final class OpenConnections: Sendable {
    /// What happened to this machine.
    public enum Upheaval: Sendable {
        /// Addresses or routes changed: connections whose address or way is gone are lost.
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

    /// Ends connections that are lost with `.networkChanged`. Those over loopback stay, and so does one that must not be ended
    /// by this side: see ``Connection/keepToTheEnd()``.
    ///
    /// - Returns: How many were ended.
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

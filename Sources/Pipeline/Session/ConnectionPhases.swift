import Models
import Synchronization

/// Tells how far the opening of a connection is, to the part that shows it.
final class ConnectionPhases: Sendable {
    enum Phase: Sendable {
        case connecting
        /// The server is there; the login is under way.
        case authenticating
        /// The program that prints the token runs.
        case tokenRefresh
    }

    private let listener = Mutex<(@Sendable (AccountID, Phase) -> Void)?>(nil)

    func listen(_ listener: (@Sendable (AccountID, Phase) -> Void)?) {
        self.listener.withLock { $0 = listener }
    }

    func tell(_ account: AccountID, _ phase: Phase) {
        listener.withLock { $0 }?(account, phase)
    }
}

import Models
import Synchronization

/// Reports the progress of connecting to the part of the program that shows it.
final class ConnectionPhases: Sendable {
    enum Phase: Sendable {
        case connecting
        /// The server has answered; the login is in progress.
        case authenticating
        /// The program that prints the token is running.
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

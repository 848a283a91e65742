import Glibc
import Models

/// The running watch of a workspace, for other commands: sends requests over its local socket. No request
/// depends on an answer. See ``WatchSocket``.
struct WatchPeer: Sendable {
    private let path: String

    private static let connecting = 200
    private static let patience = Duration.milliseconds(700)
    private static let longestSync = Duration.seconds(300)
    private static let longestAnswer = 16 << 20

    init(storeFolder: String) { path = storeFolder + "/" + WatchSocket.name }

    /// How the watch responded to a request.
    enum Answer {
        case told([UInt8])
        /// It received the request but does not answer: it is stopped, or it hangs.
        case silence
        /// No process is listening, or it refused.
        case none
    }

    /// The current state of the watch.
    func state() -> Answer { ask("GET /state", Self.patience) }

    /// Another command may have queued a step with an earlier due time than the watch knows.
    func noteSteps() { _ = ask("POST /steps", .milliseconds(100)) }

    /// This command has put mail into the inbox that rules did not judge yet.
    func noteMail() { _ = ask("POST /mail", .milliseconds(100)) }

    /// Makes the account log in again at once, if its login was refused.
    func noteLogin(_ account: AccountID) {
        _ = ask("POST /sync" + Self.query(account.rawValue), .milliseconds(100))
    }

    private static func query(_ account: String) -> String {
        "?account=" + account.utf8.map { ($0 < 16 ? "%0" : "%") + String($0, radix: 16) }.joined()
    }

    /// The JSON report of a sync that began after the call; nil: the watch did not sync, or it is stopped.
    func sync(_ account: String?) -> [UInt8]? {
        // A stopped watch accepts connections too, and a sync may take minutes.
        guard case .told = state() else { return nil }
        let query = account.map(Self.query) ?? ""
        guard case .told(let body) = ask("POST /sync" + query, Self.longestSync) else { return nil }
        return body
    }

    /// Keeps the watch from starting new work until this is released.
    final class Pause: Sendable {
        private let socket: Int32
        fileprivate init(_ socket: Int32) { self.socket = socket }
        deinit { close(socket) }
    }

    /// nil: no watch is running, or it does not answer.
    func pause() -> Pause? {
        guard let socket = sent("POST /pause") else { return nil }
        let pause = Pause(socket)
        let end = Array("paused\n".utf8)
        let answer = Self.answer(socket, Self.patience) { $0.suffix(end.count).elementsEqual(end) }
        return answer.map { Self.isGood($0) } == true ? pause : nil
    }

    // MARK: Requests

    private func ask(_ request: String, _ patience: Duration) -> Answer {
        guard let socket = sent(request) else { return .none }
        defer { close(socket) }
        guard let answer = Self.answer(socket, patience) else { return .silence }
        let end = Array("\r\n\r\n".utf8)
        guard Self.isGood(answer), let head = answer.firstRange(of: end) else { return .none }
        return .told(Array(answer[head.upperBound...]))
    }

    private func sent(_ request: String) -> Int32? {
        guard let socket = LocalSocket.connected(to: path, milliseconds: Self.connecting) else { return nil }
        guard LocalSocket.write(socket, Array((request + " HTTP/1.0\r\n\r\n").utf8)) else {
            close(socket)
            return nil
        }
        return socket
    }

    private static func isGood(_ answer: [UInt8]) -> Bool { answer.starts(with: Array("HTTP/1.0 200 ".utf8)) }

    /// The complete answer; nil: it did not arrive in time.
    private static func answer(
        _ socket: Int32, _ patience: Duration, until isWhole: ([UInt8]) -> Bool = { _ in false }
    ) -> [UInt8]? {
        let end = ContinuousClock.now + patience
        var text: [UInt8] = []
        while !isWhole(text) {
            switch LocalSocket.receive(socket) {
            case .octets(let more) where text.count + more.count <= longestAnswer: text += more
            case .end: return text
            case .octets, .failed: return nil
            case .nothing: if ContinuousClock.now > end || Task.isCancelled { return nil }
            }
        }
        return text
    }
}

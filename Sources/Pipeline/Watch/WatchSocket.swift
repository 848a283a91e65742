import Dispatch
import Glibc
import Models
import Synchronization

/// The local socket of a watch, for other commands of the workspace: HTTP with one request per connection,
/// only for the user (`curl --unix-socket .opus/watch.socket http://opus/metrics`).
///
/// | request | answer |
/// |---|---|
/// | `GET /state` | the current state of the watch, as ``WatchRecord`` |
/// | `GET /metrics` | the text format of Prometheus |
/// | `POST /sync`, `POST /sync?account=NAME` | the reports of a sync that begins after the request; 503 if there is none |
/// | `POST /pause` | the watch starts no new work that needs the store until the connection ends |
/// | `POST /steps` | the watch checks again when the next step of the journal is due |
/// | `POST /mail` | the watch judges the whole inbox now |
///
/// `@unchecked`: the source is created once and only cancelled.
final class WatchSocket: @unchecked Sendable {
    /// The requests that the watch can answer.
    struct Answers: Sendable {
        var state: @Sendable () -> [UInt8]?
        var metrics: @Sendable () -> String?
        /// nil as the account means all of them.
        var sync: @Sendable (_ account: String?) async -> [UInt8]?
        var steps: @Sendable () -> Void
        var mail: @Sendable () -> Void
        /// Called every second of a pause: a round in progress must not wait for a server that does not answer.
        var endSilentRounds: @Sendable () -> Void
        let gate: WatchGate
    }

    static let name = "watch.socket"
    private static let longestRequest = 4096
    private static let patience = 1000
    /// The maximum number of pauses and syncs in progress.
    private static let mostAtOnce = 32

    private let path: String
    private let answers: Answers
    private let queue = DispatchQueue(label: "opus-watch-socket")
    private let source: any DispatchSourceRead
    private let open = Mutex(0)

    /// - Returns: nil if the folder does not support sockets; commands then work without it.
    init?(in folder: String, _ answers: Answers) {
        path = folder + "/" + Self.name
        guard let listener = LocalSocket.listening(at: path) else { return nil }
        _ = fcntl(listener, F_SETFL, O_NONBLOCK)
        self.answers = answers
        source = DispatchSource.makeReadSource(fileDescriptor: listener, queue: queue)
        source.setEventHandler { [weak self] in
            while let socket = LocalSocket.accepted(from: listener, milliseconds: Self.patience) {
                guard let self else { return _ = Glibc.close(socket) }
                self.receive(socket)
            }
        }
        source.setCancelHandler { close(listener) }
        source.resume()
    }

    func remove() {
        end()
        _ = unlink(path)
    }

    /// Accepts no more requests. The file stays: it may belong to another watch.
    func end() { source.cancel() }

    // MARK: Requests

    /// Reads the head of a request, and answers it. A client that sends nothing does not delay the others.
    private func receive(_ socket: Int32) {
        guard keep(socket) else { return }
        _ = fcntl(socket, F_SETFL, O_NONBLOCK)
        let text = Mutex<[UInt8]>([])
        let source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
        source.setEventHandler { [source] in
            switch LocalSocket.receive(socket) {
            case .octets(let more):
                let isOver = text.withLock { text in
                    text += more
                    return text.count > Self.longestRequest || Self.isHead(text)
                }
                if isOver { source.cancel() }
            case .nothing: return
            case .end, .failed: source.cancel()
            }
        }
        source.setCancelHandler { [self] in
            _ = fcntl(socket, F_SETFL, 0)
            release()
            serve(socket, text.withLock(\.self))
        }
        source.resume()
        let deadline = DispatchTime.now() + .milliseconds(Self.patience)
        queue.asyncAfter(deadline: deadline, execute: DispatchWorkItem { source.cancel() })
    }

    private static func isHead(_ text: [UInt8]) -> Bool { text.suffix(4).elementsEqual("\r\n\r\n".utf8) }

    private func serve(_ socket: Int32, _ text: [UInt8]) {
        let isWhole = Self.isHead(text) && text.count <= Self.longestRequest
        let line = isWhole ? String(decoding: text.prefix { $0 != 0x0D }, as: UTF8.self) : ""
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard words.count == 3, words[2].hasPrefix("HTTP/") else {
            return answer(socket, "400 Bad Request", "text/plain", [])
        }
        let target = words[1].split(separator: "?", maxSplits: 1).map(String.init)
        switch (words[0], target.first) {
        case ("GET", "/state"): answer(socket, "application/json", answers.state())
        case ("GET", "/metrics"):
            answer(socket, "text/plain; version=0.0.4", answers.metrics().map { Array($0.utf8) })
        case ("POST", "/steps"):
            answers.steps()
            answer(socket, "text/plain", [])
        case ("POST", "/mail"):
            answers.mail()
            answer(socket, "text/plain", [])
        case ("POST", "/sync"): sync(socket, target.dropFirst().first)
        case ("POST", "/pause"): pause(socket)
        default: answer(socket, "404 Not Found", "text/plain", [])
        }
    }

    private func answer(_ socket: Int32, _ type: String, _ body: [UInt8]?) {
        answer(socket, body == nil ? "503 Service Unavailable" : "200 OK", type, body ?? [])
    }

    private func answer(_ socket: Int32, _ status: String, _ type: String, _ body: [UInt8]) {
        let lines = [
            "HTTP/1.0 \(status)", "Content-Type: \(type)", "Content-Length: \(body.count)",
            "Connection: close",
        ]
        let head = lines.joined(separator: "\r\n") + "\r\n\r\n"
        _ = LocalSocket.write(socket, Array(head.utf8) + body)
        close(socket)
    }

    /// Whether one more connection may stay open; otherwise it is refused.
    private func keep(_ socket: Int32) -> Bool {
        let isTaken = open.withLock { open in
            guard open < Self.mostAtOnce else { return false }
            open += 1
            return true
        }
        if !isTaken { answer(socket, "text/plain", nil) }
        return isTaken
    }

    private func release() { open.withLock { $0 -= 1 } }

    private func sync(_ socket: Int32, _ query: String?) {
        let account = query.flatMap { Self.value($0, of: "account") }
        guard keep(socket) else { return }
        Task { [self] in
            let body = query != nil && account == nil ? nil : await answers.sync(account)
            queue.async { [self] in
                answer(socket, "application/json", body)
                release()
            }
        }
    }

    /// `account=NAME`, percent-encoded.
    private static func value(_ query: String, of name: String) -> String? {
        guard query.hasPrefix(name + "=") else { return nil }
        var bytes: [UInt8] = []
        var rest = query.utf8.dropFirst(name.utf8.count + 1)
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard rest.count >= 2, let code = UInt8(digits, radix: 16) else { return nil }
            bytes.append(code)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private func pause(_ socket: Int32) {
        guard keep(socket) else { return }
        answers.gate.close()
        let head = "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\n"
        _ = LocalSocket.write(socket, Array((head + "paused\n").utf8))
        _ = fcntl(socket, F_SETFL, O_NONBLOCK)
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + .seconds(1), repeating: .seconds(1))
        timer.setEventHandler(handler: answers.endSilentRounds)
        timer.resume()
        let source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
        source.setEventHandler { [source] in
            var buffer = [UInt8](repeating: 0, count: 256)
            let count = recv(socket, &buffer, buffer.count, 0)
            if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { source.cancel() }
        }
        source.setCancelHandler { [self] in
            timer.cancel()
            close(socket)
            answers.gate.open()
            release()
        }
        source.resume()
    }
}

import Glibc
import Models

/// Waits on 127.0.0.1 for the redirect of the browser: accepts one answer, then closes. RFC 8252 §7.3.
///
/// Requests without the right `state` get an error page and have no effect.
struct LoopbackListener: Sendable {
    let port: UInt16
    private let descriptor: Int32

    private static let longestRequest = 16 << 10
    /// How long a connection may say nothing.
    private static let patience = Duration.seconds(10)
    /// Browsers open connections in advance. The oldest makes room for a new one.
    private static let mostConnections = 16

    /// A connection whose request is not complete yet.
    private struct Client {
        let descriptor: Int32
        let end: ContinuousClock.Instant
        var bytes: [UInt8] = []
    }

    /// Bound before the address is shown, so that no other program can take the port.
    init() throws(Problem) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                descriptor >= 0 && bind(descriptor, $0, length) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard bound else {
            let reason = String(cString: strerror(errno))
            if descriptor >= 0 { Glibc.close(descriptor) }
            throw Problem(
                "no-loopback", exit: .unavailable, message: "opus cannot listen on 127.0.0.1: \(reason)",
                next: ["the same command with --paste"])
        }
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
    }

    func close() { Glibc.close(descriptor) }

    /// The query of the first request with that state; nil: none arrived in time.
    func answer(state: String, within patience: Duration) async -> RedirectAnswer? {
        let end = ContinuousClock.now + patience
        var clients: [Client] = []
        defer { for client in clients { Glibc.close(client.descriptor) } }
        while ContinuousClock.now < end, !Task.isCancelled {
            if Self.isReadable(descriptor), case let client = accept(descriptor, nil, nil), client >= 0 {
                clients.append(Client(descriptor: client, end: .now + Self.patience))
                if clients.count > Self.mostConnections { Glibc.close(clients.removeFirst().descriptor) }
            }
            for index in clients.indices.reversed() {
                guard let request = Self.request(of: &clients[index]) else { continue }
                let client = clients.remove(at: index).descriptor
                defer { Glibc.close(client) }
                guard case .get(let target) = request else { continue }
                guard let answer = RedirectAnswer(target), answer.state == state else {
                    Self.write("400 Bad Request", "This is not the answer that opus waits for.", to: client)
                    continue
                }
                Self.write(
                    "200 OK",
                    answer.code == nil
                        ? "The login was refused. See the terminal."
                        : "Logged in. You can close this window.",
                    to: client)
                return answer
            }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return nil
    }

    private static func isReadable(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    private enum Request {
        /// The target in the first line.
        case get(String)
        /// Of another method, too long, too late, or broken off.
        case other
    }

    /// nil: its head is not complete yet.
    private static func request(of client: inout Client) -> Request? {
        guard isReadable(client.descriptor) else { return ContinuousClock.now < client.end ? nil : .other }
        var piece = [UInt8](repeating: 0, count: 4_096)
        let count = recv(client.descriptor, &piece, piece.count, 0)
        guard count > 0 else { return .other }
        client.bytes += piece.prefix(count)
        let text = String(decoding: client.bytes, as: UTF8.self)
        guard text.contains("\r\n\r\n") else { return client.bytes.count < longestRequest ? nil : .other }
        let words = text.prefix { $0 != "\r\n" && $0 != "\r" }.split(separator: " ")
        return words.count == 3 && words[0] == "GET" ? .get(String(words[1])) : .other
    }

    private static func write(_ status: String, _ words: String, to client: Int32) {
        let page = "<!doctype html><meta charset=utf-8><title>opus</title><p>\(words)\n"
        let text =
            "HTTP/1.1 \(status)\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: \(page.utf8.count)\r\n"
            + "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n\(page)"
        let bytes = Array(text.utf8)
        _ = send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        _ = shutdown(client, Int32(SHUT_WR))
    }
}

/// The parameters with which the provider redirects the browser. RFC 6749 §4.1.2.
struct RedirectAnswer: Sendable {
    let state: String
    /// nil: the provider refused.
    let code: String?
    let error: String
    let words: String

    /// From a path with a query, or from a complete address that the user pasted.
    init?(_ address: String) {
        guard address.utf8.count <= 16 << 10, let mark = address.firstIndex(of: "?") else { return nil }
        var fields: [String: String] = [:]
        for pair in address[address.index(after: mark)...].prefix(while: { $0 != "#" }).split(separator: "&")
        {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first, fields[String(name)] == nil else { continue }
            fields[String(name)] = parts.count == 2 ? Self.decoded(parts[1]) : ""
        }
        guard let state = fields["state"] else { return nil }
        self.state = state
        code = fields["code"]
        error = fields["error"] ?? ""
        words = fields["error_description"] ?? ""
        if code == nil, error.isEmpty { return nil }
    }

    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest.removeFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

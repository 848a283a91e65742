import Dispatch
import Glibc
import Models
import Testing

@testable import Pipeline

/// The redirect of the browser: which request counts, and which has no effect.
@Suite("The redirect of a login")
struct LoopbackListenerTests {
    /// A connection, or a socket without one.
    private static func connected(_ port: UInt16) -> Int32 {
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return client
    }

    /// What a browser does: it sends a request and reads the page.
    private static func visit(_ port: UInt16, _ request: String) -> String {
        let client = connected(port)
        defer { close(client) }
        // A listener that has stopped answers nothing.
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let bytes = Array(request.utf8)
        _ = send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        var page: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4_096)
        while case let count = recv(client, &piece, piece.count, 0), count > 0 { page += piece.prefix(count) }
        return String(decoding: page, as: UTF8.self)
    }

    /// On a thread of its own: a read that waits must not take a thread from the listener.
    private static func visits(_ port: UInt16, _ requests: [String]) async -> [String] {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: requests.map { visit(port, $0) }) }
        }
    }

    private static func get(_ target: String) -> String {
        "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    }

    @Test("only the request with the right state counts, and the others are refused")
    func state() async throws {
        let listener = try LoopbackListener()
        defer { listener.close() }
        async let answer = listener.answer(state: "right", within: .seconds(20))
        let pages = await Self.visits(
            listener.port,
            [
                Self.get("/favicon.ico"), Self.get("/?state=wrong&code=stolen"),
                "POST /?state=right HTTP/1.1\r\n\r\n", Self.get("/?code=abc%2F1&state=right"),
            ])
        #expect(await answer?.code == "abc/1")
        #expect(pages[0].hasPrefix("HTTP/1.1 400") && pages[1].hasPrefix("HTTP/1.1 400"))
        #expect(pages[2].isEmpty, "a request of another method gets no page")
        #expect(pages[3].hasPrefix("HTTP/1.1 200") && pages[3].contains("Logged in"))
        #expect(!pages.joined().contains("abc"), "a page never shows what it was sent")
    }

    @Test("a refusal of the provider is an answer, too")
    func refused() async throws {
        let listener = try LoopbackListener()
        defer { listener.close() }
        async let answer = listener.answer(state: "s", within: .seconds(20))
        let pages = await Self.visits(
            listener.port, [Self.get("/?error=access_denied&error_description=Not+today&state=s")])
        let got = await answer
        #expect(got?.code == nil && got?.error == "access_denied" && got?.words == "Not today")
        #expect(pages[0].contains("The login was refused"))
    }

    @Test("connections that say nothing, and many wrong requests, hold up no answer")
    func silent() async throws {
        let listener = try LoopbackListener()
        defer { listener.close() }
        let start = ContinuousClock.now
        async let answer = listener.answer(state: "s", within: .seconds(60))
        let port = listener.port
        let silent = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: (0..<20).map { _ in Self.connected(port) })
            }
        }
        defer { for client in silent { close(client) } }
        let wrong = Array(repeating: Self.get("/?state=no&code=b"), count: 60)
        let pages = await Self.visits(listener.port, wrong + [Self.get("/?state=s&code=a")])
        #expect(await answer?.code == "a")
        #expect(pages.last?.hasPrefix("HTTP/1.1 200") == true)
        #expect(ContinuousClock.now - start < .seconds(8))
    }

    @Test("without a request in time, there is no answer")
    func late() async throws {
        let listener = try LoopbackListener()
        defer { listener.close() }
        #expect(await listener.answer(state: "s", within: .milliseconds(100)) == nil)
    }

    @Test(
        "the parameters of a redirect are read from a path or a pasted address",
        arguments: [
            ("/?code=a&state=s", "s a"), ("http://127.0.0.1:1/?state=s&code=a%20b+c#part", "s a b c"),
            ("/?state=s&code=first&code=second", "s first"), ("/?state=s&error=no", "s no"),
            ("/?code=a", "none"), ("/?state=s", "none"), ("/", "none"), ("", "none"),
            ("/?state=s&code=%zz", "s %zz"),
            ("/?state=s&code=" + String(repeating: "a", count: 20_000), "none"),
        ])
    func parameters(_ address: String, _ expected: String) {
        let answer = RedirectAnswer(address)
        #expect(answer.map { "\($0.state) \($0.code ?? $0.error)" } ?? "none" == expected)
    }
}

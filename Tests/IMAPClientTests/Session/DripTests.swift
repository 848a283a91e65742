import IMAPProtocol
import NIOCore
import TestSupport
import Testing
import Transport

@testable import IMAPClient

/// A server that sends a byte now and then: each command has a deadline that only message data moves.
@Suite struct DripTests {
    /// `A1`'s answer, drop by drop: each wait is short, all of them together are not.
    private func drops(_ text: String, _ count: Int) -> [Line] {
        (0..<count).flatMap { _ in [Line.raw(text), .pause] }
    }

    @Test("a command whose response comes byte by byte ends at its time limit")
    func command() async throws {
        let transcript = [Line.server("* OK ready"), .client("A1 CAPABILITY")] + drops("* OK wait\r\n", 700)
        // The client hangs up, so the server cannot play to the end.
        try? await ScriptedServer.play(transcript + [.hangUp]) { endpoint in
            let start = ContinuousClock.now
            await #expect(throws: timedOut(endpoint)) {
                _ = try await IMAPConnection.connect(
                    configuration(endpoint, timeout: .milliseconds(400)), logger: quiet)
            }
            #expect(.now - start < .seconds(15), "the drops alone take twenty")
        }
    }

    @Test("a greeting that comes byte by byte ends at its time limit")
    func greeting() async throws {
        try? await ScriptedServer.play(drops("*", 200) + [.hangUp]) { endpoint in
            await #expect(throws: timedOut(endpoint)) {
                _ = try await IMAPConnection.connect(
                    configuration(endpoint, timeout: .milliseconds(400)), logger: quiet)
            }
        }
    }

    @Test("opus waits for a message that comes slowly")
    func message() async throws {
        let data = (0..<130).flatMap { _ in
            [Line.raw(String(repeating: "x", count: 64)), .pause, .pause, .pause]
        }
        let transcript =
            [Line].selected() + [
                .client("A5 UID FETCH 4 (UID BODY.PEEK[])"), .raw("* 1 FETCH (UID 4 BODY[] {8320}\r\n"),
            ]
        let end: [Line] = [.raw(")\r\n"), .server("A5 OK done")]
        try await ScriptedServer.play(transcript + data + end) { endpoint in
            let client = try await IMAPConnection.connect(
                configuration(endpoint, timeout: .seconds(8)), logger: quiet)
            _ = try await client.mailboxes.select(bytes("INBOX"))
            var sizes: [Int] = []
            try await client.messages.fetch([4], FetchItems(body: .whole(maximum: 9_999))) {
                sizes.append($0.body?.readableBytes ?? 0)
            }
            #expect(sizes == [8_320])
            await client.connection.close()
        }
    }

    private func timedOut(_ endpoint: Endpoint) -> IMAPClientError {
        .transport(TransportError(.timedOut(.receive), endpoint: endpoint))
    }
}

import Logging
import SASL
import Synchronization
import TestSupport
import Testing
import Transport

@testable import IMAPClient

@Suite(.timeLimit(.minutes(5))) struct PoolTests {
    /// Plays a transcript to each connection, in the order of their logins.
    private func play(
        _ transcripts: [[Line]], limit: Int = 5,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        _ test: @Sendable (IMAPConnectionPool, Counter) async throws -> Void
    ) async throws {
        try await ScriptedServer.play(many: transcripts) { endpoint in
            let opened = Counter()
            let pool = IMAPConnectionPool(limit: limit, now: now) {
                opened.increment()
                return try await IMAPConnection.connect(configuration(endpoint), logger: quiet)
            }
            try await test(pool, opened)
            await pool.close()
        }
    }

    /// Greeting to login, so many NOOPs, and the goodbye.
    private static func session(noops: Int = 0) -> [Line] {
        var lines = [Line].login()
        for number in 0..<noops {
            lines += [.client("A\(4 + number) NOOP"), .server("A\(4 + number) OK done")]
        }
        return lines + [
            .client("A\(4 + noops) LOGOUT"), .server("* BYE bye"), .server("A\(4 + noops) OK done"), .hangUp,
        ]
    }

    @Test("an idle connection is used again, and close logs it out")
    func reuse() async throws {
        try await play([Self.session(noops: 3)]) { pool, opened in
            for _ in 0..<3 { try await pool.withConnection { try await $0.noop() } }
            #expect(opened.value == 1)
            #expect(await pool.count == 1)
        }
    }

    @Test("callers beyond the limit wait, and are served in order")
    func queue() async throws {
        try await play([Self.session()], limit: 1) { pool, opened in
            let order = Locked<[Int]>([])
            let gate = Counter()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<5 {
                    group.addTask {
                        try await pool.withConnection { _ in
                            order.change { $0.append(number) }
                            while gate.value == 0 { try await Task.sleep(for: .milliseconds(1)) }
                        }
                    }
                    while await pool.waitingCount + (await pool.count) < number + 1 {
                        try await Task.sleep(for: .milliseconds(1))
                    }
                }
                gate.increment()
                try await group.waitForAll()
            }
            #expect(order.value == [0, 1, 2, 3, 4])
            #expect(opened.value == 1)
        }
    }

    @Test("after the first login, more connections open at once, up to the limit", arguments: [2, 3])
    func parallel(limit: Int) async throws {
        let sessions = (0..<limit).map { _ in Self.session() }
        try await play(sessions, limit: limit) { pool, opened in
            let inside = Counter()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        try await pool.withConnection { _ in
                            inside.increment()
                            while inside.value < limit { try await Task.sleep(for: .milliseconds(1)) }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(opened.value == limit)
        }
    }

    @Test("the profile of the server lowers the limit")
    func profile() async throws {
        let gmail = Self.session().map { line in
            guard case .server("* OK ready") = line else { return line }
            return .server("* OK Gimap ready for requests")
        }
        try await play([gmail, gmail, gmail]) { pool, opened in
            let inside = Counter()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<9 {
                    group.addTask {
                        try await pool.withConnection { _ in
                            inside.increment()
                            while inside.value < 3 { try await Task.sleep(for: .milliseconds(1)) }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(opened.value == 3)
        }
    }

    @Test("a connection that broke is dropped, and the next caller gets a new one")
    func broken() async throws {
        try await play([.login() + [.client("A4 NOOP"), .hangUp], Self.session(noops: 1)]) { pool, opened in
            await #expect(throws: IMAPClientError.self) {
                try await pool.withConnection { try await $0.noop() }
            }
            try await pool.withConnection { try await $0.noop() }
            #expect(opened.value == 2)
        }
    }

    @Test("a connection that broke while idle is replaced before its next use")
    func brokenIdle() async throws {
        let moment = Locked(ContinuousClock.now)
        try await play(
            [.login() + [.hangUp], Self.session(noops: 1)], now: { moment.value }
        ) { pool, opened in
            try await pool.withConnection { _ in }
            moment.change { $0 += IMAPConnectionPool.trustedIdleTime + .seconds(1) }
            try await pool.withConnection { try await $0.noop() }
            #expect(opened.value == 2)
        }
    }

    @Test("a refused login is tried once, and all present and later callers get the refusal")
    func refused() async throws {
        let transcript: [Line] = [Line].login().prefix(5) + [.server("A2 NO [AUTHENTICATIONFAILED] no")]
        try await play([transcript]) { pool, opened in
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<5 {
                    group.addTask {
                        await #expect(throws: IMAPClientError.loginRefused("no")) {
                            try await pool.withConnection { _ in }
                        }
                    }
                }
            }
            await #expect(throws: IMAPClientError.loginRefused("no")) {
                try await pool.withConnection { _ in }
            }
            #expect(opened.value == 1)
        }
    }

    @Test("if the server refuses another connection, callers share the existing ones")
    func tooMany() async throws {
        let refusal: [Line] = [Line].login().prefix(5) + [.server("A2 NO [LIMIT] too many connections")]
        try await play([Self.session(), refusal]) { pool, opened in
            let second = try await pool.withConnection { _ in
                let second = Task { try await pool.withConnection { _ in } }
                while await pool.waitingCount == 0 { try await Task.sleep(for: .milliseconds(1)) }
                return second
            }
            try await second.value
            #expect(opened.value == 2)
            #expect(await pool.count == 1)
        }
    }

    @Test("a caller that is cancelled while it waits leaves the queue")
    func cancelled() async throws {
        try await play([Self.session()], limit: 1) { pool, _ in
            try await pool.withConnection { _ in
                let waiting = Task { try await pool.withConnection { _ in } }
                while await pool.waitingCount == 0 { try await Task.sleep(for: .milliseconds(1)) }
                waiting.cancel()
                await #expect(throws: CancellationError.self) { try await waiting.value }
                #expect(await pool.waitingCount == 0)
            }
        }
    }

    @Test("after close, callers are refused and a returned connection is logged out")
    func closed() async throws {
        try await play([Self.session()]) { pool, _ in
            try await pool.withConnection { _ in await pool.close() }
            await #expect(throws: IMAPClientError.loggedOut) { try await pool.withConnection { _ in } }
            #expect(await pool.count == 0)
        }
    }
}

@Suite struct ReconnectionTests {
    static let lost = IMAPClientError.bye("gone")

    @Test("reconnections wait 5, 15 and 45 seconds, then 1, 2 and 5 minutes, and start again after a success")
    func delays() {
        var reconnection = Reconnection()
        let delays = (0..<8).map { _ in reconnection.delay(after: Self.lost) }
        #expect(delays == [5, 15, 45, 60, 120, 300, 300, 300].map { .seconds($0) })
        reconnection.succeed()
        #expect(reconnection.delay(after: Self.lost) == .seconds(5))
    }

    @Test("a permanent refusal is not tried again")
    func refused() {
        let endpoint = Endpoint(host: "a", port: 1)
        let errors: [IMAPClientError] = [
            .loginRefused("no"), .badCredentials(.serverNotVerified), .noLoginMechanism(offered: []),
            .transport(TransportError(.untrustedCertificate(reason: "old", .dates), endpoint: endpoint)),
        ]
        for error in errors {
            var reconnection = Reconnection()
            #expect(reconnection.delay(after: error) == nil)
        }
        var reconnection = Reconnection()
        let reset = IMAPClientError.transport(TransportError(.reset, endpoint: endpoint))
        #expect(reconnection.delay(after: reset) == .seconds(5))
        #expect(reconnection.delay(after: .loginUnavailable("busy")) == .seconds(15))
    }
}

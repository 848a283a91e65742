import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import Transport

/// Which connections a change of this machine's network ends, and how.
@Suite(.timeLimit(.minutes(1))) struct OpenConnectionsTests {
    static let before: Set<String> = ["127.0.0.1", "::1", "192.0.2.2", "2001:db8::2"]

    /// The connection's address, this machine's addresses after the change, whether there is a way, and what follows.
    static let table: [(String, Set<String>, Bool, Bool)] = [
        // A second interface comes up: nothing changes for the connection.
        ("192.0.2.2", before.union(["198.51.100.7"]), true, true),
        ("2001:db8::2", before.union(["2001:db8:1::7"]), true, true),
        // Another address in its place.
        ("192.0.2.2", ["127.0.0.1", "::1", "192.0.2.3", "2001:db8::2"], true, false),
        ("2001:db8::2", ["127.0.0.1", "::1", "192.0.2.2", "2001:db8::3"], true, false),
        // The other family went away.
        ("192.0.2.2", ["127.0.0.1", "::1", "192.0.2.2"], true, true),
        ("2001:db8::2", ["127.0.0.1", "::1", "2001:db8::2"], true, true),
        // The address stayed, the way is gone.
        ("192.0.2.2", before, false, false),
        ("2001:db8::2", before, false, false),
        // Nothing is left.
        ("192.0.2.2", [], true, false),
        // Loopback needs no network.
        ("127.0.0.1", [], false, true),
        ("127.8.9.10", [], false, true),
        ("::1", [], false, true),
    ]

    @Test(arguments: table)
    func `a connection survives while its address and route exist`(
        local: String, after: Set<String>, hasRoute: Bool, isCarried: Bool
    ) {
        #expect(LocalNetwork(addresses: after).carries(local, hasRoute: hasRoute) == isCarried)
    }

    @Test func `a connection with an unknown address is left to keepalive`() {
        #expect(LocalNetwork(addresses: []).carries(nil, hasRoute: false))
    }

    @Test func `the system names its own addresses, and its route to itself`() throws {
        let network = try #require(LocalNetwork.now())
        #expect(network.addresses.contains("127.0.0.1"))
        let here = try SocketAddress(ipAddress: "127.0.0.1", port: 993)
        #expect(LocalNetwork.hasRoute(from: here, to: here))
    }

    private func opened(_ server: FakeServer, _ all: OpenConnections) async throws -> Connection {
        try await Connection.open(
            Endpoint(host: "127.0.0.1", port: server.port), security: .plaintext, among: all,
            logger: ConnectionTests.logger)
    }

    @Test func `a wait for a response ends with its connection`() async throws {
        let (server, all) = (try await FakeServer.start(), OpenConnections())
        let connection = try await opened(server, all)
        let answer = Task { await ConnectionTests.code { try await connection.receive() } }
        try await Task.sleep(for: .milliseconds(100))
        #expect(all.end(.networkChanged) { _ in true } == 1)
        #expect(await answer.value == .networkChanged)
        #expect(
            await ConnectionTests.code { try await connection.send(ByteBuffer(string: "more")) }
                == .networkChanged)
        _ = try await server.peer()
        await server.stop()
    }

    @Test func `a connection being opened is ended too`() async throws {
        let silent = try SilentListener()
        let all = OpenConnections()
        let opening = Task {
            await ConnectionTests.code {
                _ = try await Connection.open(
                    Endpoint(host: "127.0.0.1", port: silent.port),
                    security: .startTLS(TLSPolicy(serverName: "localhost")), among: all,
                    logger: ConnectionTests.logger)
            }
        }
        try await Task.sleep(for: .milliseconds(200))
        let start = ContinuousClock.now
        #expect(all.endDials() == 1)
        #expect(await opening.value == .networkChanged)
        #expect(ContinuousClock.now - start < .seconds(5))
        #expect(all.endDials() == 0)
    }

    @Test func `an opened connection no longer counts as being opened`() async throws {
        let (server, all) = (try await FakeServer.start(), OpenConnections())
        let connection = try await Connection.open(
            Endpoint(host: "127.0.0.1", port: server.port),
            security: .startTLS(TLSPolicy(serverName: "localhost")), among: all,
            logger: ConnectionTests.logger)
        #expect(all.endDials() == 0)
        #expect(all.end(.networkChanged) { _ in true } == 1)
        await connection.close()
        await server.stop()
    }

    @Test func `a closed connection is not counted`() async throws {
        let (server, all) = (try await FakeServer.start(), OpenConnections())
        do {
            let connection = try await opened(server, all)
            await connection.close()
        }
        #expect(all.end(.networkChanged) { _ in true } == 0)
        await server.stop()
    }

    @Test(arguments: [OpenConnections.Upheaval.network, .sleep])
    func `a connection within this machine survives`(upheaval: OpenConnections.Upheaval) async throws {
        let server = try await FakeServer.start { $0.send("hello") }
        let all = OpenConnections()
        let connection = try await opened(server, all)
        #expect(all.endLost(after: upheaval) == 0)
        #expect(try await connection.receive() == ByteBuffer(string: "hello"))
        await connection.close()
        await server.stop()
    }

    @Test func `a connection that must finish is not ended`() async throws {
        let (server, all) = (try await FakeServer.start(), OpenConnections())
        let connection = try await opened(server, all)
        connection.keepToTheEnd()
        #expect(all.end(.networkChanged) { _ in true } == 0)
        try await server.peer().send("accepted")
        #expect(try await connection.receive() == ByteBuffer(string: "accepted"))
        await connection.close()
        await server.stop()
    }

    @Test func `marking a connection after it was ended does not revive it`() async throws {
        let (server, all) = (try await FakeServer.start(), OpenConnections())
        let connection = try await opened(server, all)
        #expect(all.end(.networkChanged) { _ in true } == 1)
        connection.keepToTheEnd()
        #expect(
            await ConnectionTests.code { try await connection.receive(timeout: .zero) } == .networkChanged)
        await server.stop()
    }

    // MARK: Silent peers

    @Test func `a connection whose peer is silent is ended with a timeout`() async throws {
        let (server, all) = (try await FakeServer.start(), OpenConnections())
        let connection = try await opened(server, all)
        #expect(all.endSilent(for: .zero) == 0, "no caller waits")
        let answer = Task { await ConnectionTests.code { try await connection.receive() } }
        try await Task.sleep(for: .milliseconds(300))
        #expect(all.endSilent(for: .seconds(10)) == 0, "not for so long")
        #expect(all.silentCount == 0)
        #expect(all.endSilent(for: .milliseconds(200)) == 1)
        #expect(all.silentCount == 1)
        #expect(await answer.value == .timedOut(.receive))
        await server.stop()
    }

    @Test func `each byte of the peer begins the silence again`() async throws {
        let (server, all) = (try await FakeServer.start(), OpenConnections())
        let connection = try await opened(server, all)
        let peer = try await server.peer()
        for word in ["one", "two"] {
            let answer = Task { try await connection.receive() }
            try await Task.sleep(for: .milliseconds(200))
            #expect(all.endSilent(for: .milliseconds(350)) == 0)
            peer.send(word)
            #expect(try await answer.value == ByteBuffer(string: word))
        }
        await connection.close()
        await server.stop()
    }

    @Test func `a connection that waits for news is not silent`() async throws {
        let (server, all) = (try await FakeServer.start(), OpenConnections())
        let connection = try await opened(server, all)
        let wakeup = connection.makeWakeup()
        let answer = Task { await ConnectionTests.code { try await connection.receive(until: wakeup) } }
        try await Task.sleep(for: .milliseconds(200))
        #expect(all.endSilent(for: .zero) == 0)
        wakeup.fire()
        #expect(await answer.value == .timedOut(.receive))
        await connection.close()
        await server.stop()
    }

    @Test func `a peer that takes no bytes is silent`() async throws {
        let (server, all) = (try await FakeServer.start(reads: false), OpenConnections())
        let connection = try await opened(server, all)
        let sent = Task {
            await ConnectionTests.code {
                try await connection.send(ByteBuffer(repeating: 0, count: 64 << 20))
            }
        }
        // A busy machine takes a while to fill the buffers of the socket.
        _ = try await eventually("the end of the silent one") {
            all.endSilent(for: .milliseconds(300)) == 1 ? true : nil
        }
        #expect(await sent.value == .timedOut(.receive))
        await server.stop()
    }
}

import NIOCore
import NIOSSL
import TestSupport
import Testing

@testable import Transport

@Suite(.timeLimit(.minutes(5))) struct TLSTests {
    let certificates: TestCertificates

    init() throws { certificates = try TestCertificates.shared.get() }

    private func policy(_ name: String = "mail.example.org", caFile: String? = nil) -> TLSPolicy {
        TLSPolicy(serverName: name, caFile: caFile ?? certificates.caFile)
    }

    private func open(
        _ server: FakeServer, _ security: TransportSecurity, _ timeouts: Timeouts = Timeouts()
    ) async throws(TransportError) -> Connection {
        try await Connection.open(
            Endpoint(host: "127.0.0.1", port: server.port), security: security, timeouts: timeouts,
            logger: ConnectionTests.logger)
    }

    private func failure(
        _ server: FakeServer, _ policy: TLSPolicy, _ timeouts: Timeouts = Timeouts()
    ) async -> TransportError.Code? {
        await ConnectionTests.code { try await open(server, .tls(policy), timeouts) }
    }

    @Test(arguments: ["mail.example.org", "127.0.0.1"])
    func `a certificate with the name or the address of the server is trusted`(name: String) async throws {
        let server = try await FakeServer.start(tls: certificates.server("good")) { $0.send("hello") }
        let connection = try await open(server, .tls(policy(name)))
        #expect(connection.isEncrypted)
        #expect(try await connection.receive() == ByteBuffer(string: "hello"))
        let bytes = ByteBuffer(repeating: 7, count: 1_000_000)
        try await connection.send(bytes)
        let peer = try await server.peer()
        _ = try await eventually("all bytes") {
            peer.received.readableBytes == bytes.readableBytes ? true : nil
        }
        await connection.close()
        _ = try await eventually("the end") { peer.hasEnded ? true : nil }
        await server.stop()
    }

    @Test func `large amounts of data are received over TLS`() async throws {
        let server = try await FakeServer.start(tls: certificates.server("good"))
        let connection = try await open(server, .tls(policy()))
        try await server.peer().send(ByteBuffer(repeating: 7, count: 5_000_000))
        var count = 0
        while count < 5_000_000, let bytes = try await connection.receive() { count += bytes.readableBytes }
        #expect(count == 5_000_000)
        await server.stop()
    }

    @Test func `an orderly end differs from a cut connection`() async throws {
        let hello = ByteBuffer(string: "hello")
        let server = try await FakeServer.start(tls: certificates.server("good")) { $0.send(hello) }
        let first = try await open(server, .tls(policy()))
        #expect(try await first.receive() == hello, "the handshake is over on both sides")
        try await server.peer().channel.close(promise: nil)
        #expect(try await first.receive() == nil)
        let second = try await open(server, .tls(policy()))
        #expect(try await second.receive() == hello)
        try await server.peer().hangUp()
        #expect(await ConnectionTests.code { try await second.receive() } == .closedByPeer)
        await server.stop()
    }

    @Test func `a certificate of another authority is refused`() async throws {
        let server = try await FakeServer.start(tls: certificates.server("good"))
        let code = await failure(server, policy(caFile: certificates.otherCAFile))
        let reason = "no authority in \(certificates.otherCAFile) signed it for servers"
        #expect(code == .untrustedCertificate(reason: reason, .issuer))
        await server.stop()
    }

    /// No authority signed it, and it is for another name: what a bridge on this machine has.
    @Test(arguments: ["selfsigned", "expired", "othername"])
    func `a pinned certificate is trusted with any signer and name`(
        name: String
    ) async throws {
        let server = try await FakeServer.start(tls: certificates.server(name)) { $0.send("hello") }
        let pinned = TLSPolicy(serverName: "127.0.0.1", pin: try certificates.fingerprint(name))
        let connection = try await open(server, .tls(pinned))
        #expect(connection.isEncrypted)
        #expect(try await connection.receive() == ByteBuffer(string: "hello"))
        await connection.close()
        await server.stop()
    }

    @Test(arguments: ["good", "selfsigned", "expired"])
    func `any other certificate than the pinned one is refused, and the error names it`(
        name: String
    ) async throws {
        let server = try await FakeServer.start(tls: certificates.server(name))
        let pin = try certificates.fingerprint("othername")
        let code = await failure(
            server, TLSPolicy(serverName: "mail.example.org", caFile: certificates.caFile, pin: pin))
        guard case .untrustedCertificate(let reason, .pin) = code else {
            Issue.record("\(String(describing: code))")
            return
        }
        let seen = try certificates.fingerprint(name)
        #expect(reason.contains("sha256:\(seen)"))
        #expect(reason.contains("write that as pin:"))
        await server.stop()
    }

    @Test func `a self-signed certificate is not trusted without a pin`() async throws {
        let server = try await FakeServer.start(tls: certificates.server("selfsigned"))
        guard case .untrustedCertificate = await failure(server, policy()) else {
            Issue.record("it was trusted")
            return
        }
        await server.stop()
    }

    @Test func `a private authority is trusted only if it is configured`() async throws {
        let server = try await FakeServer.start(tls: certificates.server("good"))
        let code = await failure(server, TLSPolicy(serverName: "mail.example.org"))
        guard case .untrustedCertificate(let reason, .issuer) = code else {
            Issue.record("it was trusted")
            return
        }
        let words = "it is not signed by an authority that this computer trusts; its fingerprint is sha256:"
        #expect(reason.hasPrefix(words) && reason.utf8.count == words.utf8.count + 64)
        await server.stop()
    }

    @Test func `an expired certificate is refused with the reason`() async throws {
        let server = try await FakeServer.start(tls: certificates.server("expired"))
        #expect(await failure(server, policy()) == .untrustedCertificate(reason: "it has expired", .dates))
        await server.stop()
    }

    @Test(arguments: ["mail.example.org", "127.0.0.1"])
    func `a certificate for another name is refused`(name: String) async throws {
        let server = try await FakeServer.start(tls: certificates.server("othername"))
        let code = await failure(server, policy(name))
        let reason = "it was not issued for \(name); it is for other.example.org"
        #expect(code == .untrustedCertificate(reason: reason, .name))
        await server.stop()
    }

    /// Each of them was once accepted, and the client then waited for a greeting that never came.
    @Test(arguments: [
        ("localhost", "localhost", "it names no server; a common name alone is not enough"),
        ("star", "localhost", "it is for *"),
        ("below", "localhost", "it is for *.localhost"),
        ("below", "mail.localhost", "it is for *.localhost"),
    ])
    func `a certificate without the server's own name is refused at once`(
        certificate: String, name: String, names: String
    ) async throws {
        let server = try await FakeServer.start(tls: certificates.server(certificate))
        let start = ContinuousClock.now
        let code = await failure(server, policy(name))
        // Far less than any time for waiting, also on a busy machine.
        #expect(ContinuousClock.now - start < .seconds(20))
        #expect(code == .untrustedCertificate(reason: "it was not issued for \(name); \(names)", .name))
        await server.stop()
    }

    @Test func `an asterisk matches one label`() async throws {
        let server = try await FakeServer.start(tls: certificates.server("wildcard"))
        #expect(await failure(server, policy("mail.example.org")) == nil)
        #expect(await failure(server, policy("a.mail.example.org")) != nil)
        #expect(await failure(server, policy("example.org")) != nil)
        await server.stop()
    }

    @Test func `TLS 1.1 is refused`() async throws {
        let server = try await FakeServer.start(tls: certificates.server("good", maximum: .tlsv11))
        guard case .tlsFailed = await failure(server, policy()) else {
            Issue.record("an old version was accepted")
            return
        }
        await server.stop()
    }

    @Test(arguments: ["/nonexistent/ca.pem", "ca.key", "good.ext"])
    func `the error about a file without certificates names the file, before connecting`(file: String)
        async throws
    {
        let path = file.hasPrefix("/") ? file : certificates.folder + "/" + file
        let code = await ConnectionTests.code {
            try await Connection.open(
                Endpoint(host: "127.0.0.1", port: 1), security: .tls(policy(caFile: path)),
                logger: ConnectionTests.logger)
        }
        #expect(code == .badCAFile(path: path))
    }

    @Test func `authorities are read once for several connections`() throws {
        let policy = TLSPolicy(serverName: "once.example.org", caFile: certificates.caFile)
        let first = try TLSTrust.kept(policy)
        #expect(try TLSTrust.kept(policy).context === first.context)
        let other = TLSPolicy(serverName: "once.example.org", caFile: certificates.otherCAFile)
        #expect(try TLSTrust.kept(other).context !== first.context)
    }

    @Test func `a server without TLS is recognised`() async throws {
        let server = try await FakeServer.start { $0.send("220 mail.example.org ESMTP\r\n") }
        #expect(await failure(server, policy()) == .notTLS)
        await server.stop()
    }

    @Test func `a silent handshake causes a timeout`() async throws {
        let server = try await FakeServer.start()
        #expect(await failure(server, policy(), ConnectionTests.quick) == .timedOut(.tls))
        await server.stop()
    }

    @Test func `a server that hangs up during the handshake fails`() async throws {
        let server = try await FakeServer.start { $0.channel.close(promise: nil) }
        switch await failure(server, policy()) {
        case .tlsFailed, .reset, .closedByPeer: break
        case let other: Issue.record("\(String(describing: other))")
        }
        await server.stop()
    }

    @Test func `a cancelled handshake ends`() async throws {
        let server = try await FakeServer.start()
        let task = Task { await failure(server, policy()) }
        _ = try await server.peer()
        task.cancel()
        #expect(await task.value == .cancelled)
        await server.stop()
    }
}

@Suite(.timeLimit(.minutes(5))) struct StartTLSTests {
    let certificates: TestCertificates

    init() throws { certificates = try TestCertificates.shared.get() }

    private var policy: TLSPolicy { TLSPolicy(serverName: "mail.example.org", caFile: certificates.caFile) }

    private func open(_ server: FakeServer) async throws -> Connection {
        try await Connection.open(
            Endpoint(host: "127.0.0.1", port: server.port), security: .startTLS(policy),
            timeouts: Timeouts(tls: .seconds(2)), logger: ConnectionTests.logger)
    }

    @Test func `the same connection continues with TLS`() async throws {
        let server = try await FakeServer.start { $0.send("go") }
        let connection = try await open(server)
        let peer = try await server.peer()
        #expect(try await connection.receive() == ByteBuffer(string: "go"))
        #expect(!connection.isEncrypted)
        try await peer.upgrade(certificates.server("good"))
        try await connection.startTLS(policy)
        #expect(connection.isEncrypted)
        peer.send("secret")
        #expect(try await connection.receive() == ByteBuffer(string: "secret"))
        try await connection.send(ByteBuffer(string: "answer"))
        _ = try await eventually("the answer") { peer.received == ByteBuffer(string: "answer") ? true : nil }
        await server.stop()
    }

    @Test func `unencrypted bytes already read stop the upgrade`() async throws {
        let server = try await FakeServer.start { $0.send("go") }
        let connection = try await open(server)
        let peer = try await server.peer()
        #expect(try await connection.receive() == ByteBuffer(string: "go"))
        // A wait that timed out leaves one read open: what comes now lies in the buffer.
        #expect(
            await ConnectionTests.code { try await connection.receive(timeout: .milliseconds(1)) }
                == .timedOut(.receive))
        peer.send("injected")
        try await Task.sleep(for: .milliseconds(100))
        try await peer.upgrade(certificates.server("good"))
        let code = await ConnectionTests.code { try await connection.startTLS(policy) }
        #expect(code == .plaintextAfterStartTLS)
        #expect(!connection.isEncrypted)
        await server.stop()
    }

    @Test func `unencrypted bytes in the system's buffer stop the upgrade too`() async throws {
        let server = try await FakeServer.start { $0.send("go") }
        let connection = try await open(server)
        let peer = try await server.peer()
        #expect(try await connection.receive() == ByteBuffer(string: "go"))
        peer.send("250 injected by somebody\r\n")
        try await Task.sleep(for: .milliseconds(100))
        try await peer.upgrade(certificates.server("good"))
        let code = await ConnectionTests.code { try await connection.startTLS(policy) }
        #expect(code == .plaintextAfterStartTLS)
        #expect(!connection.isEncrypted)
        await server.stop()
    }

    @Test func `a pin applies to STARTTLS too`() async throws {
        for (name, isPinned) in [("selfsigned", true), ("good", false)] {
            let server = try await FakeServer.start { $0.send("go") }
            let connection = try await open(server)
            #expect(try await connection.receive() == ByteBuffer(string: "go"))
            try await server.peer().upgrade(certificates.server(name))
            let pinned = TLSPolicy(
                serverName: "mail.example.org", pin: try certificates.fingerprint("selfsigned"))
            let code = await ConnectionTests.code { try await connection.startTLS(pinned) }
            #expect((code == nil) == isPinned)
            #expect(connection.isEncrypted == isPinned)
            await server.stop()
        }
    }

    @Test func `an untrusted certificate stops the upgrade`() async throws {
        let server = try await FakeServer.start { $0.send("go") }
        let connection = try await open(server)
        #expect(try await connection.receive() == ByteBuffer(string: "go"))
        try await server.peer().upgrade(certificates.server("othername"))
        let code = await ConnectionTests.code { try await connection.startTLS(policy) }
        let reason = "it was not issued for mail.example.org; it is for other.example.org"
        #expect(code == .untrustedCertificate(reason: reason, .name))
        #expect(!connection.isEncrypted)
        #expect(await ConnectionTests.code { try await connection.send(ByteBuffer(string: "x")) } != nil)
        await server.stop()
    }
}

import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import Transport

/// The system looks whether a silent peer is still there. `/proc/net/tcp` shows the timer of each connection.
@Suite(.timeLimit(.minutes(1))) struct LivenessTests {
    @Test func `the system checks a peer that is silent for a minute`() async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = server.localAddress?.port ?? 0
        let connection = try await ConnectionTests.open(port)
        let timer = try #require(try Self.timer(to: port), "no keepalive timer on the connection")
        // In hundredths of a second.
        #expect((5_000...6_100).contains(timer), "\(timer)")
        await connection.close()
        try await server.close()
    }

    @Test func `a dead peer is noticed within 90 seconds`() {
        // The end comes at the first probe that is due once the user timeout is over.
        let probes = (0..<Liveness.probes).map { Liveness.idle + $0 * Liveness.interval }
        let end = probes.first { $0 * 1_000 >= Liveness.userTimeout }
        #expect(end == 80)
    }

    /// When the keepalive timer of the connection to this port fires; nil: it has none.
    private static func timer(to port: Int) throws -> Int? {
        // The size of a file of /proc is zero: it is read to its end.
        let data = try FileHandle(forReadingFrom: URL(filePath: "/proc/net/tcp")).readToEnd() ?? Data()
        let table = String(decoding: data, as: UTF8.self)
        let remote = ":" + String(port, radix: 16, uppercase: true).leftPadded(4)
        for line in table.split(separator: "\n").dropFirst() {
            let fields = line.split(separator: " ")
            guard fields.count > 5, fields[2].hasSuffix(remote), fields[3] == "01" else { continue }
            let parts = fields[5].split(separator: ":")
            // 02: the timer is that of keepalive. tcp(4) of the kernel's documentation, proc_net_tcp.
            guard parts.first == "02" else { continue }
            return parts.last.flatMap { Int($0, radix: 16) }
        }
        return nil
    }
}

extension String {
    fileprivate func leftPadded(_ count: Int) -> String {
        String(repeating: "0", count: max(0, count - self.count)) + self
    }
}

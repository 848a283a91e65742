import Logging
import Models
import NIOCore
import Transport

/// One POST over HTTPS, and the first line of its answer: as much of HTTP as RFC 8058 needs.
///
/// The certificate is checked in full, no redirect is followed, no cookie and no data of the user is sent, and no more
/// than 64 KiB is read. RFC 8058 §3.1, RFC 9112.
struct OneClick: Sendable {
    static let answerLimit = 64 << 10

    let address: HTTPSAddress
    /// Certificates to trust instead of the system's.
    let caFile: String?
    let logger: Logger

    private static let timeouts = Timeouts(
        connect: .seconds(15), tls: .seconds(15), receive: .seconds(30), send: .seconds(15))

    /// The status of the answer.
    func post() async throws -> Int {
        let connection = try await Connection.open(
            Endpoint(host: address.host, port: address.port),
            security: .tls(TLSPolicy(serverName: address.host, caFile: caFile)), timeouts: Self.timeouts,
            logger: logger)
        do {
            try await connection.send(ByteBuffer(string: request))
            let status = try await readStatus(connection)
            await connection.close()
            return status
        } catch {
            await connection.close()
            throw error
        }
    }

    private var request: String {
        let body = "List-Unsubscribe=One-Click"
        let host = address.port == 443 ? address.host : "\(address.host):\(address.port)"
        return
            "POST \(address.target) HTTP/1.1\r\nHost: \(host)\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
    }

    private func readStatus(_ connection: Connection) async throws -> Int {
        var head: [UInt8] = []
        // For the whole line: a byte now and then moves no deadline.
        let end = ContinuousClock.now + Self.timeouts.receive
        while head.count < Self.answerLimit, !head.contains(UInt8(ascii: "\n")) {
            guard let bytes = try await connection.receive(timeout: max(.zero, end - .now)) else {
                break
            }
            head += bytes.readableBytesView
        }
        guard let status = Self.status(head) else {
            throw Problem(
                "bad-answer", exit: .unavailable,
                message: "\(address.host) did not answer like a web server")
        }
        return status
    }

    /// `HTTP/1.1 200 OK`
    static func status(_ head: [UInt8]) -> Int? {
        let line = head.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        let words = String(decoding: line, as: UTF8.self).split(
            separator: " ", omittingEmptySubsequences: true)
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].utf8.count == 3,
            let status = Int(words[1]),
            (100...599).contains(status)
        else { return nil }
        return status
    }
}

public import Logging
import NIOCore
public import Transport

/// Tests a candidate: it must have a verified certificate and a greeting in the right protocol. Returns what the server
/// offers. No password is sent.
public struct ServerProof: Sendable {
    /// A tested server and its offer.
    public struct Proven: Hashable, Sendable {
        public var candidate: ServerCandidate
        /// The mechanisms after `AUTH=`, in upper case.
        public var mechanisms: Set<String>
        /// Whether the server refuses plaintext passwords even under TLS, or all logins.
        public var refusesPasswords: Bool
    }

    /// Certificates to trust instead of the system's.
    let caFile: String?
    /// The only certificate to trust, in place of any authority.
    let pin: String?
    let logger: Logger
    private static let timeouts = Timeouts(
        connect: .seconds(5), tls: .seconds(5), receive: .seconds(8), send: .seconds(5))
    private static let mostLines = 64
    private static let longestAnswer = 32 << 10

    public init(caFile: String? = nil, pin: String? = nil, logger: Logger) {
        self.caFile = caFile
        self.pin = pin
        self.logger = logger
    }

    public enum Failure: Error, Equatable, Sendable {
        case transport(TransportError)
        /// A server answers, but not in this protocol.
        case wrongProtocol
        case noStartTLS
    }

    public func prove(_ candidate: ServerCandidate) async throws(Failure) -> Proven {
        let policy = TLSPolicy(serverName: candidate.host, caFile: pin == nil ? caFile : nil, pin: pin)
        let connection: Connection
        do {
            connection = try await Connection.open(
                Endpoint(host: candidate.host, port: candidate.port),
                security: candidate.security == .tls ? .tls(policy) : .startTLS(policy),
                timeouts: Self.timeouts, logger: logger)
        } catch {
            throw .transport(error)
        }
        var talk = Talk(connection: connection)
        do throws(Failure) {
            let words =
                switch candidate.service {
                case .imap: try await imap(&talk, candidate, policy)
                case .smtp: try await smtp(&talk, candidate, policy)
                }
            await connection.close()
            let upper = words.map { $0.uppercased() }
            return Proven(
                candidate: candidate,
                mechanisms: Set(
                    upper.filter { $0.hasPrefix("AUTH=") }.map { String($0.dropFirst("AUTH=".count)) }),
                refusesPasswords: upper.contains("LOGINDISABLED"))
        } catch {
            await connection.close()
            throw error
        }
    }

    // MARK: Protocols

    private func imap(
        _ talk: inout Talk, _ candidate: ServerCandidate, _ policy: TLSPolicy
    ) async throws(Failure) -> [String] {
        guard try await talk.line().uppercased().hasPrefix("* OK") else { throw .wrongProtocol }
        if candidate.security == .startTLS {
            try await talk.send("a1 STARTTLS\r\n")
            guard try await talk.last(of: "a1 ").uppercased().hasPrefix("A1 OK") else { throw .noStartTLS }
            try await talk.encrypt(policy)
        }
        try await talk.send("a2 CAPABILITY\r\n")
        _ = try await talk.last(of: "a2 ")
        let words = talk.lines.filter { $0.uppercased().hasPrefix("* CAPABILITY ") }
            .flatMap { $0.split(separator: " ").map(String.init) }
        try? await talk.send("a3 LOGOUT\r\n")
        return words
    }

    private func smtp(
        _ talk: inout Talk, _ candidate: ServerCandidate, _ policy: TLSPolicy
    ) async throws(Failure) -> [String] {
        guard try await talk.reply().hasPrefix("220") else { throw .wrongProtocol }
        try await talk.send("EHLO [127.0.0.1]\r\n")
        guard try await talk.reply().hasPrefix("250") else { throw .wrongProtocol }
        if candidate.security == .startTLS {
            try await talk.send("STARTTLS\r\n")
            guard try await talk.reply().hasPrefix("220") else { throw .noStartTLS }
            try await talk.encrypt(policy)
            try await talk.send("EHLO [127.0.0.1]\r\n")
            guard try await talk.reply().hasPrefix("250") else { throw .wrongProtocol }
        }
        let offered = talk.lines.filter { $0.uppercased().dropFirst(4).hasPrefix("AUTH ") }
            .flatMap { $0.dropFirst(4).split(separator: " ").dropFirst().map { "AUTH=\($0)" } }
        try? await talk.send("QUIT\r\n")
        return offered
    }

    /// Sends and receives lines, with a limit that suffices for a greeting and a list of capabilities.
    private struct Talk {
        let connection: Connection
        /// The lines since the last command.
        private(set) var lines: [String] = []
        private var rest: [UInt8] = []
        private var total = 0

        init(connection: Connection) { self.connection = connection }

        mutating func send(_ text: String) async throws(Failure) {
            lines = []
            do {
                try await connection.send(ByteBuffer(string: text))
            } catch {
                throw .transport(error)
            }
        }

        mutating func encrypt(_ policy: TLSPolicy) async throws(Failure) {
            // An attacker may have added what came in the clear after the consent.
            guard rest.isEmpty else {
                throw .transport(TransportError(.plaintextAfterStartTLS, endpoint: connection.endpoint))
            }
            do {
                try await connection.startTLS(policy)
            } catch {
                throw .transport(error)
            }
        }

        mutating func line() async throws(Failure) -> String {
            while true {
                if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    let text = String(
                        decoding: rest[..<end].filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
                    rest.removeSubrange(...end)
                    lines.append(text)
                    guard lines.count <= ServerProof.mostLines else { throw .wrongProtocol }
                    return text
                }
                guard total <= ServerProof.longestAnswer else { throw .wrongProtocol }
                let bytes: ByteBuffer?
                do {
                    bytes = try await connection.receiveGreeting()
                } catch {
                    throw .transport(error)
                }
                guard let bytes else { throw .wrongProtocol }
                rest += bytes.readableBytesView
                total += bytes.readableBytes
            }
        }

        /// The line of IMAP that ends the command.
        mutating func last(of tag: String) async throws(Failure) -> String {
            while true {
                let line = try await line()
                if line.hasPrefix(tag) { return line }
            }
        }

        /// The last line of a reply of SMTP.
        mutating func reply() async throws(Failure) -> String {
            while true {
                let line = try await line()
                guard line.utf8.count >= 3, line.prefix(3).utf8.allSatisfy({ (0x30...0x39).contains($0) })
                else { throw .wrongProtocol }
                if line.dropFirst(3).first != "-" { return line }
            }
        }
    }
}

/// Why a connection failed.
public struct TransportError: Error, Equatable, Sendable {
    public enum Code: Equatable, Sendable {
        case unknownHost
        /// A plaintext connection must stay on this machine, and the name has an address elsewhere.
        case notThisMachine(address: String)
        case refused
        case unreachable
        case timedOut(Phase)
        case untrustedCertificate(reason: String, CertificateFault)
        case tlsFailed(reason: String)
        /// The server answered the handshake with text: the port does not use TLS, or not from the first byte.
        case notTLS
        /// The server sent no plaintext but answered a handshake: the port requires TLS from the first byte.
        case speaksTLS
        /// The peer ended the connection before the data was complete.
        case closedByPeer
        case reset
        /// This machine slept, or lost the address or route of the connection, so no answer can arrive.
        case networkChanged
        /// The peer sent plaintext after it agreed to TLS: an attacker may have injected it.
        case plaintextAfterStartTLS
        case badCAFile(path: String)
        /// The waiting task was cancelled; the connection is closed.
        case cancelled
        /// This side had already closed the connection.
        case closed
        /// Two tasks tried to receive, or to send, at the same time.
        case busy
        /// Another error of the system.
        case failed(reason: String)
    }

    /// What is wrong with a certificate.
    public enum CertificateFault: Equatable, Sendable {
        /// No trusted authority signed it.
        case issuer
        /// It has expired, or is not valid yet.
        case dates
        /// It is for another server.
        case name
        /// It is not the pinned one.
        case pin
    }

    /// The event that the client waited for.
    public enum Phase: String, Equatable, Sendable {
        case connect
        case tls
        case receive
        case send
    }

    public var code: Code
    public var endpoint: Endpoint

    public init(_ code: Code, endpoint: Endpoint) {
        self.code = code
        self.endpoint = endpoint
    }
}

extension TransportError: CustomStringConvertible {
    public var description: String { "\(endpoint): \(Self.wording(code))" }

    private static func wording(_ code: Code) -> String {
        switch code {
        case .unknownHost:
            "no such host; check the spelling of the server's name, and the network"
        case .notThisMachine(let address):
            "the name also leads to \(address), another machine, and security: none would send everything unencrypted"
        case .refused:
            "the connection was refused; check the port, and that the server is running"
        case .unreachable:
            "the server cannot be reached; check the network"
        case .timedOut(let phase):
            wording(timeout: phase)
        case .untrustedCertificate(let reason, _):
            "the server's certificate is not trusted: \(reason)"
        case .tlsFailed(let reason):
            "TLS could not be set up: \(reason)"
        case .notTLS:
            "this port does not speak TLS from the first byte; try `security: starttls`"
        case .speaksTLS:
            "this port speaks TLS; try `security: tls`"
        case .closedByPeer:
            "the server closed the connection"
        case .reset:
            "the connection was reset"
        case .networkChanged:
            "the connection was lost, because this machine slept or its network changed"
        case .plaintextAfterStartTLS:
            "the server sent unprotected bytes after it agreed to TLS; an attacker may be changing the traffic"
        case .badCAFile(let path):
            "no certificate can be read from \(path); it must be a PEM file"
        case .cancelled:
            "cancelled"
        case .closed:
            "the connection is already closed"
        case .busy:
            "two tasks used one connection at the same time"
        case .failed(let reason):
            reason
        }
    }

    private static func wording(timeout phase: Phase) -> String {
        switch phase {
        case .connect: "the server did not accept the connection in time"
        case .tls: "the server did not complete the TLS handshake in time"
        case .receive: "the server did not answer in time"
        case .send: "the server did not accept the data in time"
        }
    }
}

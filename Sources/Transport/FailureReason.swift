import Glibc
import NIOCore
import NIOPosix
import NIOSSL

/// Turns errors of NIO, BoringSSL and the system into ``TransportError/Code``.
enum FailureReason {
    /// BoringSSL's name for a record that is not TLS.
    private static let noRecord = "WRONG_VERSION_NUMBER"
    static let closedInHandshake = "the server closed the connection during the handshake"
    private static let brokenHandshake = "the connection broke during the handshake"

    /// Whether the server only closed the connection during the handshake.
    static func isMereEnd(_ reason: String) -> Bool {
        reason == closedInHandshake || reason == brokenHandshake
    }

    static func code(
        for error: any Error, policy: TLSPolicy?, peer: NIOSSLCertificate?
    ) -> TransportError.Code {
        switch error {
        case let error as CodedFailure:
            error.code
        case let error as TransportError:
            error.code
        case let error as NIOConnectionError:
            connect(error)
        case let error as ChannelError:
            channel(error)
        case let error as IOError:
            system(error)
        case let error as NIOSSLError:
            tls(error, policy: policy, peer: peer)
        case let error as BoringSSLError:
            handshake(wording(error))
        case let error as NIOSSLExtraError:
            extra(error, policy: policy, peer: peer)
        case let error as DeflateError:
            .failed(reason: error.description)
        case is CancellationError:
            .cancelled
        default:
            .failed(reason: "\(error)")
        }
    }

    /// Every address failed. The first error is the most informative; without one, the name is unknown.
    private static func connect(_ error: NIOConnectionError) -> TransportError.Code {
        guard let first = error.connectionErrors.first else { return .unknownHost }
        if let error = first.error as? IOError, error.errnoCode == ETIMEDOUT { return .timedOut(.connect) }
        return code(for: first.error, policy: nil, peer: nil)
    }

    private static func channel(_ error: ChannelError) -> TransportError.Code {
        switch error {
        case .connectTimeout: .timedOut(.connect)
        case .ioOnClosedChannel, .alreadyClosed, .eof, .outputClosed, .inputClosed: .closedByPeer
        default: .failed(reason: "\(error)")
        }
    }

    private static func system(_ error: IOError) -> TransportError.Code {
        switch error.errnoCode {
        case ECONNREFUSED: .refused
        case EHOSTUNREACH, ENETUNREACH, ENETDOWN, EADDRNOTAVAIL: .unreachable
        case ETIMEDOUT: .timedOut(.receive)
        case ECONNRESET: .reset
        case EPIPE, ENOTCONN: .closedByPeer
        default: .failed(reason: String(cString: strerror(error.errnoCode)))
        }
    }

    private static func tls(
        _ error: NIOSSLError, policy: TLSPolicy?, peer: NIOSSLCertificate?
    ) -> TransportError.Code {
        switch error {
        case .uncleanShutdown:
            // A stream that ends without a TLS closure may have been cut by an attacker, so it is never a proper end.
            return .closedByPeer
        case .handshakeFailed(let reason):
            let text = wording(reason)
            if text.contains("CERTIFICATE_VERIFY_FAILED") {
                return distrust(of: peer, policy: policy)
            }
            return handshake(text)
        default:
            return .tlsFailed(reason: "\(error)")
        }
    }

    private static func handshake(_ reason: String) -> TransportError.Code {
        reason == noRecord ? .notTLS : .tlsFailed(reason: reason)
    }

    private static func extra(
        _ error: NIOSSLExtraError, policy: TLSPolicy?, peer: NIOSSLCertificate?
    ) -> TransportError.Code {
        let name = policy?.serverName ?? "this server"
        if error == .failedToValidateHostname { return wrongName(name, peer: peer) }
        return .tlsFailed(reason: "\(name) cannot be the name of a server")
    }

    static func wrongName(_ name: String, peer: NIOSSLCertificate?) -> TransportError.Code {
        let names = peer.map { "; " + CertificateNames($0).wording } ?? ""
        return .untrustedCertificate(reason: "it was not issued for \(name)" + names, .name)
    }

    /// BoringSSL only says that verification failed; the dates of the certificate say more.
    private static func distrust(of peer: NIOSSLCertificate?, policy: TLSPolicy?) -> TransportError.Code {
        if policy?.pin != nil {
            let seen = peer.flatMap { TLSTrust.fingerprint(of: $0) } ?? "unknown"
            return .untrustedCertificate(
                reason: "it is not the pinned one, its fingerprint is sha256:\(seen); "
                    + "if you renewed it yourself, write that as pin:, otherwise an attacker may be in between",
                .pin)
        }
        if let peer, peer.notValidAfter < time(nil) {
            return .untrustedCertificate(reason: "it has expired", .dates)
        }
        if let peer, peer.notValidBefore > time(nil) {
            return .untrustedCertificate(reason: "it is not valid yet; check the clock", .dates)
        }
        if let path = policy?.caFile {
            return .untrustedCertificate(
                reason: "no authority in \(path) signed it for servers", .issuer)
        }
        let seen =
            peer.flatMap { TLSTrust.fingerprint(of: $0) }.map { "; its fingerprint is sha256:\($0)" } ?? ""
        return .untrustedCertificate(
            reason: "it is not signed by an authority that this computer trusts" + seen, .issuer)
    }

    /// BoringSSL's own words without its line numbers: `WRONG_VERSION_NUMBER`.
    private static func wording(_ error: BoringSSLError) -> String {
        switch error {
        case .sslError(let stack), .unknownError(let stack), .invalidSNIName(let stack),
            .failedToSetALPN(let stack):
            guard let first = stack.first else { return "unknown error" }
            return wording(first)
        case .syscallError:
            return brokenHandshake
        case .noError, .zeroReturn, .wantRead, .wantWrite, .wantConnect, .wantAccept, .wantX509Lookup,
            .wantCertificateVerify:
            return "\(error)"
        }
    }

    private static func wording(_ error: BoringSSLInternalError) -> String {
        if error == .eofDuringHandshake { return closedInHandshake }
        let text = "\(error)"
        guard let words = text.split(separator: ":").first(where: { $0.contains(" at ") }) else {
            return text
        }
        return String(words.prefix { $0 != " " })
    }
}

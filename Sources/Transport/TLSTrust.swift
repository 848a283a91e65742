import Crypto
import NIOConcurrencyHelpers
import NIOCore
import NIOSSL

/// A policy made ready for a handshake.
struct TLSTrust: Sendable {
    let policy: TLSPolicy
    let context: NIOSSLContext

    /// Reads the authorities. Blocks for the time of reading a small file.
    init(_ policy: TLSPolicy) throws(CodedFailure) {
        self.policy = policy
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        // The name is checked apart from what a callback decides: a pinned certificate may have any.
        configuration.certificateVerification =
            policy.pin == nil ? .fullVerification : .noHostnameVerification
        configuration.shutdownTimeout = .milliseconds(500)
        if let path = policy.caFile {
            guard let authorities = try? NIOSSLCertificate.fromPEMFile(path), !authorities.isEmpty else {
                throw CodedFailure(.badCAFile(path: path))
            }
            configuration.trustRoots = .certificates(authorities)
        } else if policy.pin != nil {
            // Authorities are not used, so none need be read.
            configuration.trustRoots = .certificates([])
        }
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw CodedFailure(.tlsFailed(reason: "\(error)"))
        }
    }

    /// The same, kept for a while: reading the system's authorities takes ten times as long as a handshake, and an
    /// account opens several connections. A file that was renewed is read again soon.
    static func kept(_ policy: TLSPolicy) throws(CodedFailure) -> TLSTrust {
        let now = ContinuousClock.now
        let known = keptTrusts.withLockedValue { $0.first { $0.trust.policy == policy && now < $0.end } }
        if let known { return known.trust }
        let trust = try TLSTrust(policy)
        keptTrusts.withLockedValue { kept in
            kept.removeAll { $0.trust.policy == policy || now >= $0.end }
            kept = kept.suffix(maximumKept - 1) + [Kept(trust: trust, end: now + keptTime)]
        }
        return trust
    }

    private struct Kept {
        var trust: TLSTrust
        var end: ContinuousClock.Instant
    }

    private static let keptTrusts = NIOLockedValueBox<[Kept]>([])
    private static let maximumKept = 16
    private static let keptTime = Duration.seconds(60)

    /// The handler for the handshake, which accepts no other certificate.
    func handler() throws -> NIOSSLClientHandler {
        guard let pin = policy.pin else {
            return try NIOSSLClientHandler(context: context, serverHostname: nameForSNI)
        }
        return try NIOSSLClientHandler(
            context: context, serverHostname: nameForSNI,
            customVerificationCallback: { chain, verdict in
                let isPinned = chain.first.map { Self.fingerprint(of: $0) == pin } ?? false
                verdict.succeed(isPinned ? .certificateVerified : .failed)
            })
    }

    /// What speaks against a certificate whose chain was found good: BoringSSL's binding takes a common name where
    /// no other is there, and `*` for every name without a dot. nil when nothing does.
    func distrust(of certificate: NIOSSLCertificate?) -> TransportError.Code? {
        guard policy.pin == nil, let name = nameForSNI else { return nil }
        if let certificate, CertificateNames(certificate).cover(name) { return nil }
        return FailureReason.wrongName(name, peer: certificate)
    }

    /// What ``TLSPolicy/pin`` is compared with, and what `openssl x509 -fingerprint -sha256` prints.
    static func fingerprint(of certificate: NIOSSLCertificate) -> String? {
        (try? certificate.toDERBytes()).map { Hex.encode(SHA256.hash($0)) }
    }

    /// Nil for an address literal: then the address that was reached must be in the certificate instead.
    /// RFC 6066 §3 allows no literal as a server name.
    var nameForSNI: String? {
        let isLiteral = (try? SocketAddress(ipAddress: policy.serverName, port: 0)) != nil
        return isLiteral ? nil : policy.serverName
    }
}

import Crypto
import NIOConcurrencyHelpers
import NIOCore
import NIOSSL

/// A TLS policy that is ready for a handshake.
struct TLSTrust: Sendable {
    let policy: TLSPolicy
    let context: NIOSSLContext

    /// Reads the authorities. Blocks while it reads a small file.
    init(_ policy: TLSPolicy) throws(CodedFailure) {
        self.policy = policy
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        // A callback checks the name separately, because a pinned certificate may have any name.
        configuration.certificateVerification =
            policy.pin == nil ? .fullVerification : .noHostnameVerification
        configuration.shutdownTimeout = .milliseconds(500)
        if let path = policy.caFile {
            guard let authorities = try? NIOSSLCertificate.fromPEMFile(path), !authorities.isEmpty else {
                throw CodedFailure(.badCAFile(path: path))
            }
            configuration.trustRoots = .certificates(authorities)
        } else if policy.pin != nil {
            // With a pin, authorities are not used.
            configuration.trustRoots = .certificates([])
        }
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw CodedFailure(.tlsFailed(reason: "\(error)"))
        }
    }

    /// Like ``init(_:)``, with a cache: reading the system's authorities takes ten times as long as a handshake, and an
    /// account opens several connections. The cache expires soon, for renewed files.
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

    /// A handler for the handshake that accepts only this trust.
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

    /// Why a certificate with a valid chain is refused; nil: it is accepted. BoringSSL's binding would use a common
    /// name without other names, and `*` for every name without a dot.
    func distrust(of certificate: NIOSSLCertificate?) -> TransportError.Code? {
        guard policy.pin == nil, let name = nameForSNI else { return nil }
        if let certificate, CertificateNames(certificate).cover(name) { return nil }
        return FailureReason.wrongName(name, peer: certificate)
    }

    /// The value to compare with ``TLSPolicy/pin``, as `openssl x509 -fingerprint -sha256` prints it.
    static func fingerprint(of certificate: NIOSSLCertificate) -> String? {
        (try? certificate.toDERBytes()).map { Hex.encode(SHA256.hash($0)) }
    }

    /// nil: an address literal, which RFC 6066 §3 forbids as a server name. Then the certificate must contain the
    /// address.
    var nameForSNI: String? {
        let isLiteral = (try? SocketAddress(ipAddress: policy.serverName, port: 0)) != nil
        return isLiteral ? nil : policy.serverName
    }
}

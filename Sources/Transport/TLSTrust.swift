import Crypto
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
        }
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw CodedFailure(.tlsFailed(reason: "\(error)"))
        }
    }

    /// The handler that shakes hands, and lets nobody else in.
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

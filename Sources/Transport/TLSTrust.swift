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
        configuration.certificateVerification = .fullVerification
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

    /// Nil for an address literal: then the address that was reached must be in the certificate instead.
    /// RFC 6066 §3 allows no literal as a server name.
    var nameForSNI: String? {
        let isLiteral = (try? SocketAddress(ipAddress: policy.serverName, port: 0)) != nil
        return isLiteral ? nil : policy.serverName
    }
}

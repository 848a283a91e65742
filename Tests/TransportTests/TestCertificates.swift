import Crypto
import Foundation
import Glibc
import NIOSSL

/// Authorities and certificates made afresh for one run, by the `openssl` command.
struct TestCertificates: Sendable {
    let folder: String
    /// The authority that signed everything below.
    var caFile: String { folder + "/ca.pem" }
    /// An authority that signed nothing.
    var otherCAFile: String { folder + "/other.pem" }

    /// Made once; every test reads the same files.
    static let shared: Result<TestCertificates, any Error> = Result {
        let certificates = try TestCertificates()
        atexit {
            guard let made = try? TestCertificates.shared.get() else { return }
            try? FileManager.default.removeItem(atPath: made.folder)
        }
        return certificates
    }

    private init() throws {
        folder = NSTemporaryDirectory() + "opus-tls-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try makeAuthority("ca")
        try makeAuthority("other")
        try makeLeaf("good", names: "DNS:mail.example.org,IP:127.0.0.1", days: 2)
        try makeLeaf("expired", names: "DNS:mail.example.org,IP:127.0.0.1", days: -1)
        try makeAuthority("selfsigned")
        try makeLeaf("othername", names: "DNS:other.example.org", days: 2)
        try makeLeaf("localhost", names: nil, days: 2)
        try makeLeaf("star", names: "DNS:*", days: 2)
        try makeLeaf("below", names: "DNS:*.localhost", days: 2)
        try makeLeaf("wildcard", names: "DNS:*.example.org", days: 2)
    }

    /// What a user would pin.
    func fingerprint(_ name: String) throws -> String {
        let certificate = try NIOSSLCertificate.fromPEMFile("\(folder)/\(name).pem")[0]
        return Hex.encode(SHA256.hash(try certificate.toDERBytes()))
    }

    /// A server's context with one of the certificates above.
    func server(_ name: String, maximum: TLSVersion? = nil) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile("\(folder)/\(name).pem")
                .map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: "\(folder)/\(name).key", format: .pem)))
        configuration.minimumTLSVersion = .tlsv1
        configuration.maximumTLSVersion = maximum
        return try NIOSSLContext(configuration: configuration)
    }

    private func makeAuthority(_ name: String) throws {
        try openssl(
            ["req", "-x509", "-nodes", "-subj", "/CN=\(name)", "-days", "2", "-out", "\(name).pem"]
                + Self.newKey(name))
    }

    private func makeLeaf(_ name: String, names: String?, days: Int) throws {
        let extensions = names.map { "subjectAltName=\($0)" } ?? "basicConstraints=CA:FALSE"
        try "\(extensions)\n".write(
            toFile: "\(folder)/\(name).ext", atomically: true, encoding: .utf8)
        try openssl(["req", "-nodes", "-subj", "/CN=\(name)", "-out", "\(name).csr"] + Self.newKey(name))
        try openssl([
            "x509", "-req", "-in", "\(name).csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
            "-days", "\(days)", "-extfile", "\(name).ext", "-out", "\(name).pem",
        ])
    }

    private static func newKey(_ name: String) -> [String] {
        ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-keyout", "\(name).key"]
    }

    private func openssl(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw OpenSSLFailed(arguments: arguments) }
    }
}

struct OpenSSLFailed: Error {
    let arguments: [String]
}

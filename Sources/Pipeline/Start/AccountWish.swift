public import Discovery
import Foundation
public import Models

/// A new account, as described by the user, by discovery or by the settings of another program. It becomes an
/// entry in opus.yaml.
public struct AccountWish: Sendable {
    public enum Mail: Sendable {
        /// The path, as written into opus.yaml.
        case maildir(String)
        case servers(imap: ServerWish, smtp: ServerWish?)
    }

    public var name: String
    public var address: EmailAddress
    public var mail: Mail
    /// nil: the address is used.
    public var user: String?
    /// The command that prints the password; empty for a Maildir.
    public var passwordCommand: [String] = []
    /// Whether the command prints an OAuth token instead.
    public var printsToken = false
    /// Certificates that are trusted instead of the system's.
    public var caFile: String?
    /// The fingerprint of the only trusted certificate, as 64 hexadecimal digits.
    public var pin: String?

    public init(name: String, address: EmailAddress, mail: Mail) {
        self.name = name
        self.address = address
        self.mail = mail
    }

    /// `acme` for `ana@mail.acme.example`, followed by a number if that name is taken.
    public static func name(for address: EmailAddress, besides taken: [String] = []) -> String {
        let labels = address.domain.lowercased().split(separator: ".").map(String.init)
        let label = labels.count > 1 ? labels[labels.count - 2] : labels.first ?? ""
        let sound = label.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        let name = sound.isEmpty ? "mail" : String(sound.prefix(40))
        guard taken.contains(name) else { return name }
        return (2...).lazy.map { "\(name)-\($0)" }.first { !taken.contains($0) } ?? name
    }
}

/// A server that the user named: `imap.example.org`, `imap.example.org:993`, `imaps://…`, or `imap://…` for
/// STARTTLS.
public struct ServerWish: Hashable, Sendable {
    public var host: String
    public var port: Int
    public var security: ServerSecurity

    public init(_ candidate: ServerCandidate) {
        host = candidate.host
        port = candidate.port
        security = candidate.security
    }

    /// - Throws: ``Problem`` if the text does not name a server.
    public init(_ text: String, _ service: ServerCandidate.Service) throws {
        var rest = Substring(text)
        var chosen: ServerSecurity?
        if let scheme = rest.range(of: "://") {
            switch rest[..<scheme.lowerBound].lowercased() {
            case "imaps", "smtps", "submissions", "tls": chosen = .tls
            case "imap", "smtp", "submission", "starttls": chosen = .startTLS
            case _: throw Self.bad(text)
            }
            rest = rest[scheme.upperBound...]
        }
        let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, let host = parts.first, !host.isEmpty, host.utf8.count <= 253,
            host.unicodeScalars.allSatisfy({
                $0.properties.isAlphabetic || $0.properties.numericType != nil
                    || ".-_".unicodeScalars.contains($0)
            })
        else { throw Self.bad(text) }
        self.host = String(host)
        let port = parts.count == 2 ? Int(parts[1]) : nil
        if parts.count == 2, port.map({ (1...65_535).contains($0) }) != true { throw Self.bad(text) }
        let usesStartTLS = [143, 1143, 587, 1025, 25].contains(port ?? 0)
        security = chosen ?? (usesStartTLS ? .startTLS : .tls)
        let usual: Int =
            switch (service, security) {
            case (.imap, .tls): 993
            case (.imap, .startTLS): 143
            case (.smtp, .tls): 465
            case (.smtp, .startTLS): 587
            }
        self.port = port ?? usual
    }

    private static func bad(_ text: String) -> Problem {
        Problem(
            "bad-server", exit: .usage, message: "\"\(text)\" is not a server",
            next: ["imap.example.org, imap.example.org:993, or imap://imap.example.org:143 for STARTTLS"])
    }
}

import Discovery
public import Models

/// An account from the settings of another program. A password that is stored there as plain text is not
/// imported.
public struct ImportedAccount: Hashable, Sendable {
    /// `mbsync`
    public var program: String
    /// The file that was read.
    public var file: String
    public var address: EmailAddress?
    public var personName: String?
    public var imap: ServerWish?
    public var smtp: ServerWish?
    public var user: String?
    public var passwordCommand: [String] = []
    /// Whether the command prints an OAuth token instead.
    public var printsToken = false
    public var maildir: String?

    init(_ program: String, _ file: String) {
        self.program = program
        self.file = file
    }

    /// Whether there is enough information to try it.
    var isUseful: Bool { imap != nil || maildir != nil }

    /// A command line of another program, which runs it with a shell; opus does the same unless the line has
    /// only plain words.
    static func command(_ text: String) -> [String] {
        let line = text.drop { $0 == " " || $0 == "+" }
        guard !line.isEmpty else { return [] }
        let needsShell = line.unicodeScalars.contains {
            "\"'`$|&;<>()*?[]#~\\{}!".unicodeScalars.contains($0)
        }
        return needsShell ? ["sh", "-c", String(line)] : line.split(separator: " ").map(String.init)
    }

    /// `imap.acme.example` and `ana` do not prove that the address is ana@acme.example, so only a user name
    /// with a domain is used as the address.
    mutating func takeAddressFromUser() {
        guard address == nil, let user, user.contains("@") else { return }
        address = EmailAddress(user)
    }

    mutating func setServer(
        _ service: ServerCandidate.Service, host: String?, port: Int?, security: ServerSecurity?
    ) {
        guard let host, !host.isEmpty else { return }
        let scheme = security.map { $0 == .tls ? "tls://" : "starttls://" } ?? ""
        let server = try? ServerWish(scheme + host + (port.map { ":\($0)" } ?? ""), service)
        switch service {
        case .imap: imap = server
        case .smtp: smtp = server
        }
    }
}

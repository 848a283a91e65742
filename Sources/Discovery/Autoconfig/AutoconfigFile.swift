import Models

/// The servers in a Thunderbird configuration file (`config-v1.1.xml`), in its order.
///
/// It reads only IMAP and SMTP servers with encryption, and ignores everything else.
struct AutoconfigFile {
    private(set) var candidates: [ServerCandidate] = []

    private static let mostServers = 16

    /// Empty: the bytes are not such a file.
    init(_ bytes: [UInt8], address: EmailAddress, origin: ServerCandidate.Origin, isTrusted: Bool) {
        var reader = XMLText(bytes)
        var path: [String] = []
        var server: [String: String]?
        var isMail = false
        do throws(XMLText.Malformed) {
            while let event = try reader.next() {
                switch event {
                case .start(let name, let attributes):
                    path.append(name)
                    if name == "emailProvider" { isMail = true }
                    if name == "incomingServer" || name == "outgoingServer" {
                        server = ["type": attributes["type"] ?? ""]
                    }
                case .text(let text):
                    if let key = path.last, server?[key] == nil { server?[key] = text }
                case .end(let name):
                    guard path.popLast() == name else { throw XMLText.Malformed() }
                    guard name == "incomingServer" || name == "outgoingServer", let fields = server else {
                        continue
                    }
                    server = nil
                    guard isMail, candidates.count < Self.mostServers else { continue }
                    if let candidate = Self.candidate(fields, address, origin, isTrusted) {
                        candidates.append(candidate)
                    }
                }
            }
        } catch {
            candidates = []
        }
    }

    private static func candidate(
        _ fields: [String: String], _ address: EmailAddress, _ origin: ServerCandidate.Origin,
        _ isTrusted: Bool
    ) -> ServerCandidate? {
        let service: ServerCandidate.Service
        switch fields["type"] {
        case "imap": service = .imap
        case "smtp": service = .smtp
        case _: return nil
        }
        let security: ServerSecurity
        switch fields["socketType"] {
        case "SSL": security = .tls
        case "STARTTLS": security = .startTLS
        case _: return nil
        }
        guard let host = fields["hostname"].map({ fill($0, address).lowercased() }), HostName.isSound(host),
            let port = fields["port"].flatMap({ Int($0) }), (1...65_535).contains(port)
        else { return nil }
        let user = fields["username"].map { fill($0, address) }
        return ServerCandidate(
            service, host: host, port: port, security: security,
            user: user.flatMap { isUser($0) ? $0 : nil }, origin: origin, isTrusted: isTrusted)
    }

    private static func fill(_ text: String, _ address: EmailAddress) -> String {
        text.replacing("%EMAILADDRESS%", with: address.addrSpec)
            .replacing("%EMAILLOCALPART%", with: address.localPart)
            .replacing("%EMAILDOMAIN%", with: address.domain)
    }

    private static func isUser(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 320 && !text.contains("%")
            && text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F }
    }
}

import Models
import YAMLSource

/// Reads the entries of `accounts:`.
struct AccountReader {
    let location: WorkspaceLocation

    static let keys =
        [
            "name", "address", "maildir", "imap", "smtp", "sendmail", "tls", "login", "folders", "sync",
            "authserv-id", "allow", "smime", "identities",
        ]
        + SignatureReader.keys

    func accounts(_ nodes: [YAMLNode], _ reader: inout ConfigReader) -> [Account] {
        var accounts: [Account] = []
        for (index, node) in nodes.enumerated() {
            guard let account = account(node, number: index + 1, &reader) else { continue }
            if let twin = accounts.first(where: { $0.id == account.id }) {
                let place = node["name"] ?? node
                reader.report(
                    "C009", at: place,
                    "there are two accounts '\(account.id)'; the other one is at line \(twin.place.line)")
            }
            accounts.append(account)
        }
        return accounts
    }

    private func account(_ node: YAMLNode, number: Int, _ reader: inout ConfigReader) -> Account? {
        guard let section = reader.section(node, "account \(number)", keys: Self.keys, later: ["provider"])
        else {
            return nil
        }
        let id = name(section, &reader)
        let title = id.map { "account \($0)" } ?? section.title
        let address = section.node("address").flatMap { reader.address($0) }
        if section.node("address") == nil { reader.missing("address", in: section) }
        let pin = section.node("tls").flatMap { self.pin($0, title, section, &reader) }
        let source = source(section, title, pin, &reader)
        let smtp = section.node("smtp").flatMap {
            server($0, "smtp of \(title)", ports: Self.smtpPorts, pin, mayLackLogin: true, &reader)
        }
        let sendmail = section.node("sendmail").flatMap { self.sendmail($0, section, title, &reader) }
        let login = section.node("login").flatMap {
            LoginReader(location: location).login($0, title, address, &reader)
        }
        let needsLogin = smtp.map { $0.usesLogin && !ServerSettings.isLoopback($0.host) } ?? true
        if section.node("login") == nil,
            let server = section.node("imap") ?? (needsLogin ? section.node("smtp") : nil)
        {
            reader.report(
                "C005", at: server,
                "\(title) has a server and no 'login'; add login: { user: …, password-command: […] }")
        }
        let folders = section.node("folders").map { self.folders($0, title, &reader) } ?? [:]
        let sync = section.node("sync").map {
            SyncReader().settings($0, title, isMaildir: section.node("maildir") != nil, &reader)
        }
        let signature = SignatureReader(location: location).signature(section, title, &reader)
        let identities =
            section.node("identities").map {
                IdentityReader(location: location).identities($0, title, &reader)
            } ?? []
        guard let id, let address, let source else { return nil }
        var account = Account(
            id: id, address: address, source: source, smtp: smtp, login: login, folders: folders,
            sync: sync ?? SyncSettings(), place: SourcePlace(file: location.shownFile, line: node.line))
        account.sendmail = sendmail
        account.signature = signature
        account.identities = identities
        account.authenticationServers = authenticationServers(section, &reader)
        if let node = section.node("allow") {
            account.permissions = PermissionsReader.read(node, &reader)
            account.permissionsPlace = SourcePlace(file: location.shownFile, line: node.line)
        }
        account.smimeCAFile = section.node("smime").flatMap { smime($0, title, &reader) }
        return account
    }

    /// One name or a list of them. RFC 8601 §2.5.
    private func authenticationServers(
        _ section: ConfigReader.Section, _ reader: inout ConfigReader
    ) -> Set<String> {
        guard let node = section.node("authserv-id") else { return [] }
        var names: Set<String> = []
        for item in node.sequence ?? [node] {
            guard let name = item.scalar, !name.isEmpty, name.utf8.count <= 255,
                name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"();\"".utf8.contains($0) })
            else {
                reader.report(
                    "C007", at: item, "'authserv-id' must be the name of a server, or a list of names",
                    suggestion: "authserv-id: mx.example.org")
                continue
            }
            names.insert(name.lowercased())
        }
        return names
    }

    /// The certificate authorities for S/MIME; nil: only those of the system.
    private func smime(_ node: YAMLNode, _ title: String, _ reader: inout ConfigReader) -> String? {
        guard let section = reader.section(node, "smime of \(title)", keys: ["ca-file"]) else { return nil }
        if section.node("ca-file") == nil { reader.missing("ca-file", in: section) }
        return caFile(section, &reader)
    }

    private func name(_ section: ConfigReader.Section, _ reader: inout ConfigReader) -> AccountID? {
        guard let text = reader.text("name", in: section, required: true), let node = section.node("name")
        else {
            return nil
        }
        let isSound = text.unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || $0.properties.numericType != nil
                || "._-".unicodeScalars.contains($0)
        }
        guard isSound, (1...64).contains(text.utf8.count), text.first != "." else {
            reader.report(
                "C007", at: node,
                "'\(text)' cannot be an account's name; use letters, digits, '-', '_' and '.'")
            return nil
        }
        return AccountID(text)
    }

    private func source(
        _ section: ConfigReader.Section, _ title: String, _ pin: String?, _ reader: inout ConfigReader
    ) -> Account.Source? {
        switch (section.node("maildir"), section.node("imap")) {
        case (nil, nil):
            reader.report(
                "C005", at: section.node, "\(title) has no mail; add imap: { host: … } or maildir: PATH")
            return nil
        case (.some, .some(let imap)):
            reader.report("C005", at: imap, "\(title) has both 'maildir' and 'imap'; make two accounts of it")
            return nil
        case (.some, nil):
            return reader.text("maildir", in: section).map { .maildir(path($0)) }
        case (nil, .some(let imap)):
            return server(imap, "imap of \(title)", ports: Self.imapPorts, pin, &reader).map { .imap($0) }
        }
    }

    func path(_ text: String) -> String { Paths.absolute(text, below: location.root, home: location.home) }

    /// The program that sends mail: a list, because it is run without a shell.
    private func sendmail(
        _ node: YAMLNode, _ account: ConfigReader.Section, _ title: String, _ reader: inout ConfigReader
    ) -> Sendmail? {
        if account.node("smtp") != nil {
            reader.report("C005", at: node, "\(title) has both 'smtp' and 'sendmail'; remove one of them")
        }
        guard let command = LoginReader(location: location).arguments(node, "sendmail", &reader) else {
            return nil
        }
        return Sendmail(
            command: command, place: SourcePlace(file: location.shownFile, line: node.line))
    }

    // MARK: Servers

    private static let imapPorts: [ServerSettings.Security: Int] = [.tls: 993, .startTLS: 143, .none: 143]
    private static let smtpPorts: [ServerSettings.Security: Int] = [.tls: 465, .startTLS: 587, .none: 25]

    private func server(
        _ node: YAMLNode, _ title: String, ports: [ServerSettings.Security: Int], _ pin: String?,
        mayLackLogin: Bool = false, _ reader: inout ConfigReader
    ) -> ServerSettings? {
        let keys = ["host", "port", "security", "ca-file"] + (mayLackLogin ? ["login"] : [])
        guard let section = reader.section(node, title, keys: keys) else { return nil }
        let usesLogin =
            mayLackLogin
            ? reader.choice("login", in: section, [("account", true), ("none", false)]) ?? true : true
        let host = host(section, &reader)
        let port = reader.number("port", in: section, 1...65_535)
        let choices = ServerSettings.Security.allCases.map { ($0.rawValue, $0) }
        let security = reader.choice("security", in: section, choices) ?? .tls
        if security == .none, usesLogin, let host, !ServerSettings.isLoopback(host),
            let place = section.node("security")
        {
            reader.report(
                "C010", at: place, "security: none would send the password unencrypted to \(host)",
                suggestion: "use tls or starttls; only 127.0.0.1 and localhost can have none")
        }
        let caFile = caFile(section, &reader)
        if pin != nil, caFile != nil, let place = section.node("ca-file") {
            reader.report(
                "C005", at: place, "'ca-file' has no effect beside tls: { pin: … }; remove one of them")
        }
        guard let host else { return nil }
        var server = ServerSettings(
            host: host, port: port ?? ports[security] ?? 993, security: security, caFile: caFile, pin: pin)
        server.usesLogin = usesLogin
        return server
    }

    private func host(_ section: ConfigReader.Section, _ reader: inout ConfigReader) -> String? {
        guard let text = reader.text("host", in: section, required: true), let node = section.node("host")
        else {
            return nil
        }
        let isSound =
            !text.isEmpty && text.utf8.count <= 253
            && text.unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || $0.properties.numericType != nil
                    || ".-:[]_".unicodeScalars.contains($0)
            }
        guard isSound else {
            reader.report(
                "C007", at: node, "'\(text)' is not a host name; write only the name, as in imap.example.org")
            return nil
        }
        return text
    }

    private func caFile(_ section: ConfigReader.Section, _ reader: inout ConfigReader) -> String? {
        guard let text = reader.text("ca-file", in: section), let node = section.node("ca-file") else {
            return nil
        }
        let file = path(text)
        if !Disk.isFile(file) { reader.report("C011", at: node, "file \(file) not found") }
        return file
    }

    /// The fingerprint of the only trusted certificate, with or without colons, as printed by `openssl x509
    /// -fingerprint -sha256`.
    private func pin(
        _ node: YAMLNode, _ title: String, _ account: ConfigReader.Section, _ reader: inout ConfigReader
    ) -> String? {
        guard let section = reader.section(node, "tls of \(title)", keys: ["pin"]) else { return nil }
        if account.node("imap") == nil, account.node("smtp") == nil {
            reader.report("C005", at: node, "\(title) has 'tls' and no server; remove it")
        }
        guard let text = reader.text("pin", in: section, required: true), let place = section.node("pin")
        else { return nil }
        let words = text.lowercased()
        let digits = words.dropFirst("sha256:".count).filter { $0 != ":" }
        guard words.hasPrefix("sha256:"), digits.count == 64, digits.utf8.allSatisfy(Self.isHex) else {
            reader.report(
                "C007", at: place, "'pin' is not the SHA-256 fingerprint of a certificate",
                suggestion: "write \"sha256:\" and 64 hexadecimal digits")
            return nil
        }
        return digits
    }

    private static func isHex(_ digit: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(digit)
    }

    // MARK: Folders

    static let folderRoles: [MailboxRole] = [.archive, .sent, .drafts, .deferred, .trash, .junk]

    private func folders(_ node: YAMLNode, _ title: String, _ reader: inout ConfigReader) -> [MailboxRole:
        String]
    {
        let keys = Self.folderRoles.map(\.rawValue)
        guard let section = reader.section(node, "folders of \(title)", keys: keys) else { return [:] }
        var folders: [MailboxRole: String] = [:]
        for role in Self.folderRoles {
            guard let name = reader.text(role.rawValue, in: section), let place = section.node(role.rawValue)
            else { continue }
            if name.allSatisfy(\.isWhitespace) {
                reader.report(
                    "C007", at: place, "'\(role.rawValue)' has no name",
                    suggestion: "write the name of a mailbox, or leave the key out")
            } else if name.lowercased() == "inbox" {
                reader.report("C009", at: place, "'\(role.rawValue)' cannot be the inbox itself")
            } else if let other = folders.first(where: { $0.value == name }) {
                reader.report(
                    "C009", at: place, "'\(name)' is already the folder for '\(other.key.rawValue)'")
            } else {
                folders[role] = name
            }
        }
        return folders
    }
}

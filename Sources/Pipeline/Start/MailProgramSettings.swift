import Discovery
import Foundation
import Models

/// Reads accounts from aerc's `accounts.conf`: server URLs with user names, and password commands.
enum AercSettings {
    static func accounts(_ text: String, _ file: String, home: String) -> [ImportedAccount] {
        SectionFile(text).sections.compactMap { section in
            guard let source = section.values["source"] else { return nil }
            var account = ImportedAccount("aerc", file)
            if let from = section.values["from"] {
                let inner = from.split(separator: "<").last?.prefix { $0 != ">" } ?? ""
                account.address = EmailAddress(String(inner).trimmingCharacters(in: .whitespaces))
                if from.contains("<") {
                    account.personName = from.prefix { $0 != "<" }
                        .trimmingCharacters(in: CharacterSet(charactersIn: " \""))
                }
            }
            for scheme in ["maildir://", "maildirpp://", "notmuch://"] where source.hasPrefix(scheme) {
                account.maildir = SettingsImport.path(String(source.dropFirst(scheme.count)), home: home)
                return account
            }
            read(source, .imap, &account)
            if let outgoing = section.values["outgoing"] { read(outgoing, .smtp, &account) }
            let scheme = source.prefix { $0 != ":" }
            account.printsToken = scheme.hasSuffix("+xoauth2") || scheme.hasSuffix("+oauthbearer")
            // With a token endpoint, the command prints a refresh token, which cannot be used for the login.
            if !account.printsToken || !source.contains("token_endpoint=") {
                account.passwordCommand =
                    section.values["source-cred-cmd"].map(ImportedAccount.command) ?? []
            }
            account.takeAddressFromUser()
            return account
        }
    }

    /// `imaps://ana%40acme.example:secret@imap.acme.example:993`; the password is ignored.
    private static func read(
        _ text: String, _ service: ServerCandidate.Service, _ account: inout ImportedAccount
    ) {
        guard let mark = text.range(of: "://") else { return }
        let scheme = text[..<mark.lowerBound]
        let rest = text[mark.upperBound...].prefix { $0 != "/" && $0 != "?" }
        let at = rest.lastIndex(of: "@")
        if let at, service == .imap {
            account.user = String(rest[..<at].prefix { $0 != ":" }).removingPercentEncoding
        }
        let place = (at.map { rest[rest.index(after: $0)...] } ?? rest).split(separator: ":")
        let security: ServerSecurity? =
            switch scheme.prefix(while: { $0 != "+" }) {
            case "imaps", "smtps": .tls
            case "imap", "smtp": .startTLS
            case _: nil
            }
        guard let security else { return }
        account.setServer(
            service, host: place.first.map(String.init), port: place.count > 1 ? Int(place[1]) : nil,
            security: security)
    }
}

/// Reads accounts from himalaya's `config.toml` (version 1).
enum HimalayaSettings {
    static func accounts(_ text: String, _ file: String, home: String) -> [ImportedAccount] {
        let rows = SimpleTOML.values(text)
        var names: [String] = []
        for row in rows where row.path.first == "accounts" && row.path.count > 2 {
            if !names.contains(row.path[1]) { names.append(row.path[1]) }
        }
        return names.prefix(64).compactMap { name in
            var values: [String: String] = [:]
            for row in rows where row.path.count > 2 && row.path[0] == "accounts" && row.path[1] == name {
                values[row.path.dropFirst(2).joined(separator: ".")] = row.value
            }
            return account(values, file, home: home)
        }
    }

    private static func account(_ values: [String: String], _ file: String, home: String) -> ImportedAccount {
        var account = ImportedAccount("himalaya", file)
        account.address = values["email"].flatMap { EmailAddress($0) }
        account.personName = values["display-name"]
        if let folder = values["backend.root-dir"] {
            account.maildir = SettingsImport.path(folder, home: home)
            return account
        }
        account.user = values["backend.login"]
        account.setServer(
            .imap, host: values["backend.host"], port: values["backend.port"].flatMap { Int($0) },
            security: security(values["backend.encryption.type"] ?? values["backend.encryption"]))
        account.setServer(
            .smtp, host: values["message.send.backend.host"],
            port: values["message.send.backend.port"].flatMap { Int($0) },
            security: security(
                values["message.send.backend.encryption.type"] ?? values["message.send.backend.encryption"]))
        account.passwordCommand =
            (values["backend.auth.cmd"] ?? values["backend.auth.command"]).map(ImportedAccount.command) ?? []
        account.takeAddressFromUser()
        return account
    }

    private static func security(_ word: String?) -> ServerSecurity? {
        switch word {
        case "tls": .tls
        case "start-tls", "starttls": .startTLS
        case _: nil
        }
    }
}

/// Reads accounts from Thunderbird's `prefs.js`: servers, user names and addresses. Its passwords are stored
/// elsewhere.
enum ThunderbirdSettings {
    static func accounts(_ text: String, _ file: String) -> [ImportedAccount] {
        let values = preferences(text)
        let list = values["mail.accountmanager.accounts"]?.split(separator: ",").map(String.init) ?? []
        return list.prefix(64).compactMap { name in
            guard let server = values["mail.account.\(name).server"],
                values["mail.server.\(server).type"] == "imap"
            else { return nil }
            var account = ImportedAccount("thunderbird", file)
            // Values that the user changed later have other keys.
            account.user =
                values["mail.server.\(server).realuserName"] ?? values["mail.server.\(server).userName"]
            account.setServer(
                .imap,
                host: values["mail.server.\(server).realhostname"]
                    ?? values["mail.server.\(server).hostname"],
                port: values["mail.server.\(server).port"].flatMap { Int($0) },
                security: security(values["mail.server.\(server).socketType"]))
            let identity = values["mail.account.\(name).identities"]?.split(separator: ",").first
            if let identity {
                account.address = values["mail.identity.\(identity).useremail"].flatMap { EmailAddress($0) }
                account.personName = values["mail.identity.\(identity).fullName"]
            }
            let sender =
                identity.flatMap { values["mail.identity.\($0).smtpServer"] }
                ?? values["mail.smtp.defaultserver"]
            if let sender {
                account.setServer(
                    .smtp, host: values["mail.smtpserver.\(sender).hostname"],
                    port: values["mail.smtpserver.\(sender).port"].flatMap { Int($0) },
                    security: security(values["mail.smtpserver.\(sender).try_ssl"]))
            }
            account.takeAddressFromUser()
            return account
        }
    }

    private static func security(_ number: String?) -> ServerSecurity? {
        switch number {
        case "3": .tls
        case "2": .startTLS
        case _: nil
        }
    }

    /// `user_pref("name", "value");` with a string or a number.
    private static func preferences(_ text: String) -> [String: String] {
        var values: [String: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix("user_pref(\"mail.") {
            let rest = line.dropFirst("user_pref(\"".count)
            guard let end = rest.firstIndex(of: "\"") else { continue }
            let value = rest[rest.index(after: end)...].drop { $0 == "," || $0 == " " }
            values[String(rest[..<end])] =
                value.first == "\""
                ? QuotedText.read(value.dropFirst()).text : String(value.prefix { $0 != ")" })
        }
        return values
    }
}

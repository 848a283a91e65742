import Discovery
import Foundation
import Models

/// Accounts in `.mbsyncrc`: a server with its user and password command.
enum MbsyncSettings {
    static func accounts(_ text: String, _ file: String, home: String) -> [ImportedAccount] {
        var accounts: [ImportedAccount] = []
        var values: [String: String]?
        func finish() {
            guard let found = values else { return }
            var account = ImportedAccount("mbsync", file)
            account.user = found["user"]
            account.passwordCommand = found["passcmd"].map(ImportedAccount.command) ?? []
            let kind = (found["tlstype"] ?? found["ssltype"])?.lowercased()
            let security: ServerSecurity? =
                switch kind {
                case "imaps": .tls
                case "starttls": .startTLS
                case _: nil
                }
            account.setServer(
                .imap, host: found["host"], port: found["port"].flatMap { Int($0) }, security: security)
            account.takeAddressFromUser()
            accounts.append(account)
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let words = line.trimmingCharacters(in: .whitespaces)
            if words.hasPrefix("#") { continue }
            guard let blank = words.firstIndex(where: { $0 == " " || $0 == "\t" }) else { continue }
            let key = words[..<blank].lowercased()
            let value = unquoted(words[blank...].trimmingCharacters(in: .whitespaces))
            switch key {
            case "imapaccount", "imapstore":
                finish()
                values = [:]
            case "maildirstore", "channel", "group":
                finish()
                values = nil
            case _: if let known = values, known[key] == nil { values?[key] = value }
            }
        }
        finish()
        return accounts
    }

    /// `"+pass show \"mail\""`
    private static func unquoted(_ text: String) -> String {
        guard text.hasPrefix("\""), text.hasSuffix("\""), text.utf8.count >= 2 else { return text }
        return String(text.dropFirst().dropLast()).replacing("\\\"", with: "\"")
    }
}

/// Accounts in `.offlineimaprc`. A password command is Python there, so it is not taken over.
enum OfflineimapSettings {
    static func accounts(_ text: String, _ file: String, home: String) -> [ImportedAccount] {
        SectionFile(text).sections.compactMap { section in
            guard section.name.hasPrefix("Repository "),
                let kind = section.values["type"]?.lowercased(), kind == "imap" || kind == "gmail"
            else { return nil }
            var account = ImportedAccount("offlineimap", file)
            account.user = section.values["remoteuser"]
            let isPlain = section.values["ssl"]?.lowercased() == "no"
            account.setServer(
                .imap, host: section.values["remotehost"] ?? (kind == "gmail" ? "imap.gmail.com" : nil),
                port: section.values["remoteport"].flatMap { Int($0) }, security: isPlain ? .startTLS : .tls)
            account.takeAddressFromUser()
            return account
        }
    }
}

/// The Maildir and the address in `.notmuch-config`.
enum NotmuchSettings {
    static func accounts(_ text: String, _ file: String, home: String) -> [ImportedAccount] {
        let sections = SectionFile(text).sections
        var account = ImportedAccount("notmuch", file)
        for section in sections {
            if section.name == "database", let path = section.values["mail_root"] ?? section.values["path"] {
                account.maildir = SettingsImport.path(path, home: home)
            }
            if section.name == "user" {
                account.personName = section.values["name"]
                account.address = section.values["primary_email"].flatMap { EmailAddress($0) }
            }
        }
        return [account]
    }
}

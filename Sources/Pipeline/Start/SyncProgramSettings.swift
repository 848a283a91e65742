import Discovery
import Foundation
import Models

/// Reads accounts from `.mbsyncrc`: a server with its user name and password command.
enum MbsyncSettings {
    static func accounts(_ text: String, _ file: String, home: String) -> [ImportedAccount] {
        var accounts: [ImportedAccount] = []
        var values: [String: String]?
        func finish() {
            guard let found = values else { return }
            var account = ImportedAccount("mbsync", file)
            account.user = found["user"]
            account.passwordCommand = found["passcmd"].map(ImportedAccount.command) ?? []
            account.printsToken = ["xoauth2", "oauthbearer"].contains {
                (found["authmechs"] ?? found["authmech"])?.lowercased() == $0
            }
            let kind = (found["tlstype"] ?? found["ssltype"])?.lowercased()
            let security: ServerSecurity? =
                switch kind {
                case "imaps": .tls
                case "starttls": .startTLS
                case _: found["useimaps"]?.lowercased() == "yes" ? .tls : nil
                }
            account.setServer(
                .imap, host: found["host"], port: found["port"].flatMap { Int($0) }, security: security)
            account.takeAddressFromUser()
            accounts.append(account)
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let words = words(line)
            guard words.count > 1, let key = words.first?.lowercased() else { continue }
            let value = words.dropFirst().joined(separator: " ")
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

    /// Splits a line into words, as mbsync does: quotes keep spaces, a backslash inside quotes escapes the next character,
    /// and a word that begins with `#` starts a comment.
    private static func words(_ line: some StringProtocol) -> [String] {
        var words: [String] = []
        var word: String?
        var (isQuoted, isEscaped) = (false, false)
        for letter in line {
            if isEscaped {
                word = (word ?? "") + String(letter)
                isEscaped = false
            } else if letter == "\\", isQuoted {
                isEscaped = true
            } else if letter == "\"" {
                isQuoted.toggle()
                word = word ?? ""
            } else if isQuoted || !letter.isWhitespace {
                if letter == "#", word == nil { break }
                word = (word ?? "") + String(letter)
            } else if let done = word {
                words.append(done)
                word = nil
            }
        }
        return words + (word.map { [$0] } ?? [])
    }
}

/// Reads accounts from `.offlineimaprc`. Its password commands are Python code, so they are not imported; a
/// password file is read with `cat`.
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
            if let path = section.values["remotepassfile"], !path.isEmpty {
                account.passwordCommand = ["cat", SettingsImport.path(path, home: home)]
            }
            account.takeAddressFromUser()
            return account
        }
    }
}

/// Reads the Maildir and the address from `.notmuch-config`.
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

import Discovery
import Foundation
import Models

/// The text of a new account in opus.yaml, and of a complete new file.
struct AccountText {
    let wish: AccountWish

    /// A file with only this account.
    func workspace(name: String) -> String {
        let me = name.isEmpty ? "" : "name: \(Self.quoted(name)), "
        return """
            # Written by opus init. Every key is explained by: opus help config
            config-version: 1
            me: { \(me)addresses: [\(Self.quoted(wish.address.addrSpec))] }
            # Rules make no tasks and no drafts from mail that was older than this on the first day.
            first-run: { since: 3w }
            accounts:
            \(entry(indent: 2))

            """
    }

    /// The entry in `accounts:`, without a line break at the end.
    func entry(indent: Int) -> String {
        var lines = ["name: \(Self.quoted(wish.name))", "address: \(Self.quoted(wish.address.addrSpec))"]
        switch wish.mail {
        case .maildir(let path):
            lines.append("maildir: \(Self.quoted(path))")
        case .servers(let imap, let smtp):
            lines.append("imap: { \(server(imap)) }")
            if let smtp { lines.append("smtp: { \(server(smtp)) }") }
            if let pin = wish.pin { lines.append("tls: { pin: \(Self.quoted("sha256:" + pin)) }") }
        }
        if !wish.passwordCommand.isEmpty {
            let user = wish.user ?? wish.address.addrSpec
            let command = wish.passwordCommand.map(Self.quoted).joined(separator: ", ")
            let key = wish.printsToken ? "token-command" : "password-command"
            lines.append("login: { user: \(Self.quoted(user)), \(key): [\(command)] }")
        }
        let blank = String(repeating: " ", count: indent)
        return lines.enumerated().map { blank + ($0 == 0 ? "- " : "  ") + $1 }.joined(separator: "\n")
    }

    private func server(_ server: ServerWish) -> String {
        let file = (wish.pin == nil ? wish.caFile : nil).map { ", ca-file: \(Self.quoted($0))" } ?? ""
        return
            "host: \(Self.quoted(server.host)), port: \(server.port), security: \(server.security.rawValue)\(file)"
    }

    /// Plain if YAML reads it as the same string, otherwise in double quotes.
    static func quoted(_ text: String) -> String {
        let isPlain =
            text.utf8.first.map { isLetter($0) || $0 == UInt8(ascii: "/") } ?? false
            && text.utf8.allSatisfy {
                isLetter($0) || (0x30...0x39).contains($0) || "-_./@+".utf8.contains($0)
            }
            && !["true", "false", "yes", "no", "on", "off", "null", "y", "n"].contains(text.lowercased())
        if isPlain { return text }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\x" + (digits.count == 1 ? "0" : "") + digits
            case _: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }
}

import MIMEParser
import Models

/// Addresses in rule files: `ana@x.org`, `Ana Ruiz <ana@x.org>`, or several separated by commas.
public enum AddressText {
    /// Whether a rule test accepts the text as the addresses of a mail.
    public static func isReadable(_ text: String) -> Bool { list(text) != nil }

    static func one(_ text: String) -> EmailAddress? {
        let trimmed = text.trimmingBlanks()
        guard trimmed.utf8.count <= 1_000, !trimmed.unicodeScalars.contains(where: { $0.value < 0x20 }) else {
            return nil
        }
        guard let open = trimmed.lastIndex(of: "<"), trimmed.last == ">" else {
            return plain(trimmed, name: "")
        }
        var name = trimmed[..<open].trimmingBlanks()
        if name.count >= 2, name.first == "\"", name.last == "\"" {
            name = String(name.dropFirst().dropLast())
        }
        return plain(String(trimmed[trimmed.index(after: open)...].dropLast()), name: name)
    }

    private static func plain(_ text: String, name: String) -> EmailAddress? {
        guard let address = EmailAddress(text, displayName: name),
            !text.contains(where: { $0.isWhitespace || "<>,;\"(){}".contains($0) }),
            !address.localPart.contains("@"), !address.domain.hasPrefix("."), !address.domain.hasSuffix(".")
        else { return nil }
        return address
    }

    /// nil when one of them is not an address.
    static func list(_ text: String) -> [EmailAddress]? {
        var parts: [String] = [""]
        var isQuoted = false
        for letter in text {
            if letter == "\"" { isQuoted.toggle() }
            if letter == ",", !isQuoted { parts.append("") } else { parts[parts.count - 1].append(letter) }
        }
        let addresses = parts.map { one($0) }
        let found = addresses.compactMap { $0 }
        return found.count == addresses.count ? found : nil
    }

    /// The text with the other spellings of the domain after its last `@`, or of all of it. A text without a dot is no
    /// domain.
    static func otherSpellings(of text: String) -> [String] {
        let start = text.lastIndex(of: "@").map { text.index(after: $0) } ?? text.startIndex
        let domain = text[start...]
        guard domain.contains(".") else { return [] }
        return InternationalDomain.otherSpellings(of: String(domain)).map { text[..<start] + $0 }
    }
}

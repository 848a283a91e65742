import MIMEParser
import Models

/// Detects senders who imitate a person whom the user knows.
enum Lookalike {
    /// The known address that the sender's name or domain imitates; nil: none.
    static func of(_ sender: EmailAddress, among known: [EmailAddress]) -> EmailAddress? {
        guard !known.contains(where: { $0.mailComparable == sender.mailComparable }) else { return nil }
        let name = skeleton(sender.displayName)
        let domain = skeleton(InternationalDomain.toUnicode(sender.domain))
        return known.first { person in
            // The name contains the address, or is the full name, of a known person.
            if name.contains(skeleton(person.addrSpec)) { return true }
            let theirs = skeleton(person.displayName)
            if theirs.count >= shortestName, theirs == name { return true }
            return person.domain != sender.domain
                && domain == skeleton(InternationalDomain.toUnicode(person.domain))
        }
    }

    /// Shorter names are not compared.
    private static let shortestName = 5

    /// The text by its appearance: digits and letters of other scripts become the Latin letters that they
    /// resemble.
    static func skeleton(_ text: String) -> String {
        var shown = ""
        for scalar in text.lowercased().unicodeScalars.prefix(1_000) where !scalar.properties.isWhitespace {
            shown.unicodeScalars.append(alike[scalar] ?? scalar)
        }
        return shown.replacing("rn", with: "m").replacing("vv", with: "w").replacing("cl", with: "d")
    }

    private static let alike: [Unicode.Scalar: Unicode.Scalar] = [
        "а": "a", "в": "b", "с": "c", "ԁ": "d", "е": "e", "ё": "e", "һ": "h", "і": "l", "ј": "j", "к": "k",
        "м": "m",
        "н": "h", "о": "o", "р": "p", "ѕ": "s", "т": "t", "у": "y", "х": "x", "α": "a", "ε": "e", "ι": "l",
        "κ": "k",
        "ν": "v", "ο": "o", "ρ": "p", "τ": "t", "υ": "u", "χ": "x", "ı": "l", "ł": "l", "ø": "o", "i": "l",
        "1": "l",
        "|": "l", "0": "o", "5": "s", "3": "e",
    ]
}

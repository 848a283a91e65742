/// A line that YAML refuses because it contains a second `: `: `when: subject: invoice`.
struct NestedMapping {
    /// `when`; empty: the line begins with the key at which YAML stopped, so its indent is wrong.
    let outer: String
    /// `subject`
    let inner: String
    /// `invoice`
    let value: String

    /// `colon`: where YAML stopped, in Characters from the start of the line.
    init?(_ line: String, colon: Int) {
        let letters = Array(line)
        guard letters.indices.contains(colon), letters[colon] == ":" else { return nil }
        var before = String(letters[..<colon])
        while let first = before.first, first == " " || first == "-" { before.removeFirst() }
        value = Self.value(String(letters[(colon + 1)...]))
        guard let end = before.firstRange(of: ": ") else {
            guard Self.isKey(before) else { return nil }
            outer = ""
            inner = before
            return
        }
        outer = String(before[..<end.lowerBound])
        inner = before[end.upperBound...].drop { $0 == " " }.description
    }

    /// The line as it works, where the second key looks like one: `when: { subject: invoice }`. A text such as
    /// `Pay: now` is a text.
    var repaired: String? {
        guard Self.isKey(outer), Self.isKey(inner), !value.isEmpty, !value.contains(": ") else { return nil }
        return "\(outer): { \(inner): \(written) }"
    }

    private var written: String {
        let isQuoted = value.count > 1 && value.first == value.last && "'\"".contains(value.first ?? " ")
        let isMapping =
            value.hasPrefix("{") && value.hasSuffix("}") || value.hasPrefix("[") && value.hasSuffix("]")
        let isPlain = !value.contains { ",[]{}'\"#&*!|>%@`".contains($0) }
        if isQuoted || isMapping || isPlain { return value }
        return "'" + value.replacing("'", with: "''") + "'"
    }

    private static func value(_ rest: String) -> String {
        var text = rest[...]
        if let comment = text.firstRange(of: " #") { text = text[..<comment.lowerBound] }
        while text.first == " " { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }

    /// Keys of these files are words of small letters.
    private static func isKey(_ text: String) -> Bool {
        guard let first = text.first, first.isASCII, first.isLowercase else { return false }
        return text.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || "-_:".contains($0)) }
            || text.hasPrefix("header:")
    }
}

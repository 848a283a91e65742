/// The value of a condition as written, before it is interpreted.
struct RawValue {
    enum Form: Hashable {
        case bare
        /// In double quotes: a phrase.
        case quoted
        /// After `=`.
        case exact
        /// After `~`: anywhere, including inside words.
        case contains
        /// Between slashes, with or without `i`.
        case regex(insensitive: Bool)
    }

    var form: Form
    var text: String
    /// Where the text begins (inside quotes or slashes), in Characters.
    var offset: Int
    var length: Int

    init(form: Form, text: String, offset: Int) {
        self.form = form
        self.text = text
        self.offset = offset
        length = max(1, text.count)
    }

    /// Other quotes than the double one, with their closing quotes.
    static let pairs: [Character: Character] = ["'": "'", "‘": "’", "“": "”", "„": "“"]

    /// From the text of a YAML scalar: the whole text is the value.
    init(scalar text: String) {
        let letters = Array(text)
        if letters.count >= 2, letters.first == "\"", letters.last == "\"" {
            self.init(form: .quoted, text: String(letters[1..<(letters.count - 1)]), offset: 1)
        } else if letters.count > 2, let first = letters.first, letters.last == Self.pairs[first] {
            self.init(form: .quoted, text: String(letters[1..<(letters.count - 1)]), offset: 1)
        } else if letters.count > 1, letters.first == "=" || letters.first == "~" {
            let inner = RawValue(scalar: String(letters[1...]))
            self.init(
                form: letters.first == "=" ? .exact : .contains, text: inner.text, offset: 1 + inner.offset)
        } else if let regex = Self.regex(letters) {
            self = regex
        } else {
            self.init(form: .bare, text: text, offset: 0)
        }
    }

    private static func regex(_ letters: [Character]) -> RawValue? {
        guard letters.first == "/", letters.count >= 3 else { return nil }
        let isInsensitive = letters.last == "i" && letters[letters.count - 2] == "/"
        let end = letters.count - (isInsensitive ? 2 : 1)
        guard end > 1, letters[end] == "/" else { return nil }
        return RawValue(
            form: .regex(insensitive: isInsensitive), text: String(letters[1..<end]).unescapingSlashes,
            offset: 1)
    }

    /// `/…/s` in a mapping: probably a pattern, but only the flag `i` is supported.
    var strayFlags: QueryProblem? {
        guard text.first == "/", let end = text.lastIndex(of: "/"), end > text.index(after: text.startIndex)
        else { return nil }
        let flags = text[text.index(after: end)...]
        guard (1...3).contains(flags.count), flags.allSatisfy({ "gimsuxyU".contains($0) }) else { return nil }
        return problem(
            "R021", "a pattern takes no flags '\(flags)'",
            "/…/i, or /(?s)…/; put a text of this form in double quotes")
    }

    func problem(_ code: String, _ message: String, _ suggestion: String? = nil) -> QueryProblem {
        QueryProblem(code: code, offset: offset, length: length, message: message, suggestion: suggestion)
    }
}

extension String {
    /// The text between slashes: `\/` means a slash; other escapes are kept.
    var unescapingSlashes: String { pairs { $0 == "\\/" ? "/" : $0 } }

    /// The inverse: adds a backslash to each slash without one.
    var escapingSlashes: String { pairs { $0 == "/" ? "\\/" : $0 } }

    /// The text in double quotes: `\"` and `\\` mean their second character.
    var unescapingQuotes: String { pairs { $0 == "\\\"" || $0 == "\\\\" ? String($0.dropFirst()) : $0 } }

    /// Replaces each character, or each backslash with the next character.
    private func pairs(_ change: (String) -> String) -> String {
        guard contains(where: { $0 == "\\" || $0 == "/" }) else { return self }
        var result = ""
        var open = ""
        for letter in self {
            open.append(letter)
            if open == "\\" { continue }
            result += change(open)
            open = ""
        }
        return result + open
    }
}

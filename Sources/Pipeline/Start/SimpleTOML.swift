/// The subset of TOML that settings of mail programs use: tables, dotted keys, strings, numbers, inline
/// tables and comments. Other syntax is ignored.
enum SimpleTOML {
    struct Row {
        var path: [String]
        var value: String
    }

    private static let mostRows = 4_096

    static func values(_ text: String) -> [Row] {
        var rows: [Row] = []
        var table: [String] = []
        for line in text.split(whereSeparator: \.isNewline) where rows.count < mostRows {
            let words = line.drop { $0 == " " || $0 == "\t" }
            if words.isEmpty || words.hasPrefix("#") { continue }
            if words.hasPrefix("[") {
                let inner = words.drop { $0 == "[" }
                table = key(inner, until: "]").path
                continue
            }
            let (path, rest) = key(words, until: "=")
            guard !path.isEmpty else { continue }
            read(rest, table + path, &rows, depth: 0)
        }
        return rows
    }

    /// Names separated by dots, each plain or quoted; and the text after the mark.
    private static func key(_ text: Substring, until mark: Character) -> (path: [String], rest: Substring) {
        var path: [String] = []
        var rest = text
        while let letter = rest.first, letter != mark {
            if letter == " " || letter == "\t" || letter == "." {
                rest = rest.dropFirst()
            } else if letter == "\"" || letter == "'" {
                let found = string(rest)
                path.append(found.text)
                rest = found.rest
            } else {
                let name = rest.prefix { $0 != mark && $0 != "." && $0 != " " && $0 != "\t" }
                path.append(String(name))
                rest = rest.dropFirst(name.count)
            }
        }
        return (path, rest.dropFirst())
    }

    /// - Returns: The text after the value.
    @discardableResult
    private static func read(_ text: Substring, _ path: [String], _ rows: inout [Row], depth: Int)
        -> Substring
    {
        let value = text.drop { $0 == " " || $0 == "\t" }
        switch value.first {
        case "\"", "'":
            let found = string(value)
            rows.append(Row(path: path, value: found.text))
            return found.rest
        case "{":
            var rest = value.dropFirst()
            while depth < 8, rows.count < mostRows {
                rest = rest.drop { $0 == " " || $0 == "\t" || $0 == "," }
                guard let letter = rest.first, letter != "}", letter != "#" else { break }
                let found = key(rest, until: "=")
                guard !found.path.isEmpty else { break }
                rest = read(found.rest, path + found.path, &rows, depth: depth + 1)
            }
            return rest.dropFirst()
        case _:
            let word = value.prefix { !" \t,}#".contains($0) }
            if !word.isEmpty { rows.append(Row(path: path, value: String(word))) }
            return value.dropFirst(word.count)
        }
    }

    /// `"with \"escapes\""` or `'without escapes'`.
    private static func string(_ text: Substring) -> (text: String, rest: Substring) {
        guard text.first == "'" else { return QuotedText.read(text.dropFirst()) }
        let inner = text.dropFirst().prefix { $0 != "'" }
        return (String(inner), text.dropFirst(inner.count + 2))
    }
}

/// Text in double quotes with backslash escapes, as in TOML and JavaScript.
enum QuotedText {
    /// - Parameter text: The text after the first quote.
    /// - Returns: The content, and the text after the closing quote.
    static func read(_ text: Substring) -> (text: String, rest: Substring) {
        var found = ""
        var rest = text
        while let letter = rest.first, letter != "\"" {
            rest = rest.dropFirst()
            guard letter == "\\", let escaped = rest.first else {
                found.append(letter)
                continue
            }
            rest = rest.dropFirst()
            switch escaped {
            case "n": found.append("\n")
            case "t": found.append("\t")
            case "u":
                let digits = rest.prefix(4)
                guard let number = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(number) else {
                    continue
                }
                found.unicodeScalars.append(scalar)
                rest = rest.dropFirst(4)
            case _: found.append(escaped)
            }
        }
        return (found, rest.dropFirst())
    }
}

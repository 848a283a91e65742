import Models

/// Converts a regular expression from RE2 to POSIX, for Sieve's `regex`; nil if POSIX has no equivalent.
///
/// draft-ietf-sieve-regex; POSIX.1-2017 §9.4.
enum SievePattern {
    struct Expression: Equatable {
        var text: String
        /// `i;ascii-casemap` or `i;octet`.
        var ignoresCase: Bool
    }

    static func translate(_ source: String) -> Expression? {
        var rest = source[...]
        var ignoresCase = false
        if rest.hasPrefix("(?i)") {
            ignoresCase = true
            rest = rest.dropFirst(4)
        }
        // A word boundary at either end is matched by a character that is not part of a word. Elsewhere that
        // would consume a character.
        var (head, tail) = ("", "")
        if rest.hasPrefix("\\b"), isOneBranch(rest) {
            head = "(^|[^[:alnum:]_])"
            rest = rest.dropFirst(2)
        }
        if rest.hasSuffix("\\b"), !rest.hasSuffix("\\\\b"), isOneBranch(rest) {
            tail = "([^[:alnum:]_]|$)"
            rest = rest.dropLast(2)
        }
        var reader = Reader(rest: rest)
        return reader.read().map { Expression(text: head + $0 + tail, ignoresCase: ignoresCase) }
    }

    /// Whether all alternatives are inside parentheses.
    private static func isOneBranch(_ source: Substring) -> Bool {
        var depth = 0
        var isEscaped = false
        for letter in source {
            if isEscaped {
                isEscaped = false
            } else if letter == "\\" {
                isEscaped = true
            } else if letter == "(" || letter == "[" {
                depth += 1
            } else if letter == ")" || letter == "]" {
                depth -= 1
            } else if letter == "|", depth == 0 {
                return false
            }
        }
        return true
    }

    /// Consecutive words, the first one at the start of a word, as in text conditions.
    static func phrase(_ phrase: FoldedText, _ edge: WordEdge) -> String {
        let words = phrase.string.split(separator: " ").map { escaped(String($0)) }
        let begins =
            phrase.firstScalar.map { FoldedText.isWord($0) && !UnspacedScripts.contains($0) } ?? false
        return (begins ? edge.rawValue : "") + words.joined(separator: "[[:space:]]+")
    }

    /// The pattern for the place before a word. For most servers, only ASCII letters are letters, and a pattern compares bytes.
    enum WordEdge: String {
        /// Neither an ASCII letter nor the last byte of any other letter or sign: the range Ā to Ŀ has them all. Every word
        /// found so begins there.
        case certain = "(^|[^[:alnum:]Ā-Ŀ])"
        /// Not an ASCII letter: no word is missed, but some begin inside another one, such as `union` in `réunion`.
        case possible = "(^|[^[:alnum:]])"
    }

    static func escaped(_ text: String) -> String {
        String(text.flatMap { ".[]{}()*+?|^$\\".contains($0) ? ["\\", $0] : [$0] })
    }

    /// The wildcards of a compiled glob (``Pattern/glob(_:)``), in the syntax of Sieve's `:matches`.
    static func wildcards(_ source: String) -> String? {
        guard source.hasPrefix("(?s)\\A"), source.hasSuffix("\\z") else { return nil }
        var result = ""
        var letters = source.dropFirst(6).dropLast(2)[...]
        while let letter = letters.popFirst() {
            switch letter {
            case "." where letters.first == "*":
                letters.removeFirst()
                result += "*"
            case ".": result += "?"
            case "\\":
                guard let next = letters.popFirst() else { return nil }
                result += "*?\\".contains(next) ? "\\" + String(next) : String(next)
            case _: result.append(letter)
            }
        }
        return result
    }

    private struct Reader {
        var rest: Substring

        mutating func read() -> String? {
            var result = ""
            while let letter = rest.popFirst() {
                switch letter {
                case "\\":
                    guard let class_ = escape(insideBrackets: false) else { return nil }
                    result += class_
                case "[":
                    guard let set = brackets() else { return nil }
                    result += set
                case "(":
                    guard let group = group() else { return nil }
                    result += group
                case "*", "+", "?", "}":
                    result.append(letter)
                    // Greediness does not affect whether there is a match.
                    if rest.first == "?" { rest.removeFirst() }
                case _: result.append(letter)
                }
            }
            return result
        }

        private mutating func group() -> String? {
            guard rest.hasPrefix("?") else { return "(" }
            if rest.hasPrefix("?:") {
                rest.removeFirst(2)
                return "("
            }
            guard rest.hasPrefix("?P<"), let end = rest.firstIndex(of: ">") else { return nil }
            rest = rest[rest.index(after: end)...]
            return "("
        }

        private mutating func escape(insideBrackets: Bool) -> String? {
            guard let letter = rest.popFirst() else { return nil }
            let inner: String
            switch letter {
            case "d": inner = "0-9"
            case "w": inner = "[:alnum:]_"
            case "s": inner = "[:space:]"
            case "D" where !insideBrackets: return "[^0-9]"
            case "W" where !insideBrackets: return "[^[:alnum:]_]"
            case "S" where !insideBrackets: return "[^[:space:]]"
            case _ where letter.isLetter || letter.isNumber: return nil
            // In POSIX brackets, a backslash is an ordinary character; only these characters may be written
            // there.
            case _ where insideBrackets: return "]^-\\[".contains(letter) ? nil : String(letter)
            case _: return "\\" + String(letter)
            }
            return insideBrackets ? inner : "[\(inner)]"
        }

        private mutating func brackets() -> String? {
            var result = "["
            if rest.first == "^" {
                rest.removeFirst()
                result += "^"
            }
            var isFirst = true
            while let letter = rest.popFirst() {
                switch letter {
                case "]" where !isFirst: return result + "]"
                case "\\":
                    guard let class_ = escape(insideBrackets: true) else { return nil }
                    result += class_
                case "[":
                    guard rest.hasPrefix(":"), let end = rest.firstRange(of: ":]") else { return nil }
                    result += "[" + rest[..<end.upperBound]
                    rest = rest[end.upperBound...]
                case _: result.append(letter)
                }
                isFirst = false
            }
            return nil
        }
    }
}

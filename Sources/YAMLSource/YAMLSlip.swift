import Models
import Yams

/// The message for a file that is not YAML: the place, the reason and, for common mistakes, what to write instead.
///
/// Nearly all are values without single quotes: `*@x` is an alias, `@work` begins with a reserved character, `"\d"` has
/// an escape sequence.
enum YAMLSlip {
    static func diagnostic(for error: YamlError, file: String, source: SourceLines) -> Diagnostic {
        switch error {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            if let opening = UnclosedValue(problem, context, mark, source) {
                return opening.diagnostic(file: file, source: source)
            }
            let fault = Fault(problem: problem, context: context?.text ?? "", mark: mark, source: source)
            return fault.diagnostic(file: file)
        case .reader(let problem, let offset, _, let yaml):
            let place = offset.map { Self.place(ofCharacter: $0, in: yaml) } ?? (line: 0, column: 0)
            return Diagnostic(
                code: "Y001", file: file, line: place.line, column: place.column,
                message: "unreadable character: \(problem)", sourceLine: source.line(place.line))
        case .duplicatedKeysInMapping(let duplicates, let context):
            let name = duplicates.first ?? ""
            return Diagnostic(
                code: "Y005", file: file, line: context.mark.line,
                column: source.column(line: context.mark.line, scalarColumn: context.mark.column),
                length: max(1, name.count), message: "'\(name)' appears twice in the same mapping",
                sourceLine: source.line(context.mark.line))
        case .no, .memory, .writer, .emitter, .representer, .dataCouldNotBeDecoded:
            return Diagnostic(code: "Y001", file: file, message: "the file cannot be read as YAML")
        }
    }

    private static func place(ofCharacter offset: Int, in text: String) -> (line: Int, column: Int) {
        let before = text.prefix(offset)
        let lines = before.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return (lines.count, (lines.last?.count ?? 0) + 1)
    }

    private struct Fault {
        let problem: String
        let context: String
        let line: Int
        let column: Int
        let sourceLine: String?

        init(problem: String, context: String, mark: Mark, source: SourceLines) {
            self.problem = problem
            self.context = context
            // An error "at the end" is one line after the last one.
            line = min(mark.line, source.lines.count)
            sourceLine = source.line(line)
            column =
                mark.line == line
                ? source.column(line: line, scalarColumn: mark.column) : (sourceLine?.count ?? 0) + 1
        }

        func diagnostic(file: String) -> Diagnostic {
            let (start, text) = value()
            let (message, suggestion) = words(value: text)
            let isQuotable = suggestion?.hasPrefix("put it in single quotes") ?? false
            return Diagnostic(
                code: "Y001", file: file, line: line, column: isQuotable ? start : column,
                length: isQuotable ? max(1, text.count) : 1, message: message, suggestion: suggestion,
                sourceLine: sourceLine)
        }

        private func words(value: String) -> (message: String, suggestion: String?) {
            let first = value.first
            switch problem {
            case "did not find expected alphabetic or numeric character", "found undefined alias":
                return (
                    "'\(value)' begins with '\(first ?? "*")', which YAML keeps for itself", quoted(value)
                )
            case "found unknown escape character":
                return ("a backslash means something else in double quotes", "put it in single quotes")
            case "found character that cannot start any token"
            where first == "@" || first == "`" || first == "%":
                return (
                    "'\(value)' begins with '\(first ?? "@")', which YAML keeps for itself", quoted(value)
                )
            case "found character that cannot start any token" where first == "\t":
                return ("a line is indented with a tab", "indent with spaces")
            case "mapping values are not allowed in this context": return nestedMapping()
            case "did not find expected '-' indicator" where context == "while parsing a block collection":
                return ("this line is indented less than the lines that it belongs to", "indent it like them")
            case "but found another document":
                return ("a second document begins", "one file is one document; remove the '---'")
            case "found a tab character that violates indentation":
                return ("a line is indented with a tab", "indent with spaces")
            case let problem where problem.hasPrefix("Maximum nesting level reached"):
                return ("nested too deeply", nil)
            case _:
                return (context.isEmpty ? problem : "\(problem), \(context)", nil)
            }
        }

        /// `when: subject: invoice`, `title: Pay: now`, or a key with too much indent.
        private func nestedMapping() -> (message: String, suggestion: String?) {
            let line = sourceLine ?? ""
            guard let slip = NestedMapping(line, colon: column - 1) else {
                return ("': ' inside a value begins a new mapping", "put the whole text in single quotes")
            }
            if slip.outer.isEmpty {
                return (
                    "this line is indented further than the line above",
                    "indent it like the line that it follows"
                )
            }
            return (
                "': ' inside a value begins a new mapping",
                slip.repaired.map { "write \($0), or put the whole text in single quotes" }
                    ?? "put the whole text in single quotes"
            )
        }

        private func quoted(_ value: String) -> String {
            "put it in single quotes: '\(value.replacing("'", with: "''"))'"
        }

        /// The value at the mark, from its first character: libyaml points after a `*`.
        private func value() -> (column: Int, text: String) {
            let letters = Array(sourceLine ?? "")
            var start = min(max(column - 1, 0), letters.count)
            if problem == "found unknown escape character" { return (column, "\\") }
            if problem == "did not find expected alphabetic or numeric character" {
                while start > 0, start >= letters.count || !"*&".contains(letters[start]) { start -= 1 }
            }
            let ends: (Character) -> Bool = { " ,]}\t".contains($0) }
            var end = start
            while end < letters.count, end == start || !ends(letters[end]) { end += 1 }
            return (start + 1, String(letters[start..<end]))
        }
    }
}

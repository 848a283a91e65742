import Models
import Yams

/// A quote or bracket without its end, or a key without its colon. YAML reports it some lines later, but the mistake is
/// at the beginning.
struct UnclosedValue {
    private let place: YAMLPlace
    private let message: String
    private let suggestion: String

    init?(_ problem: String, _ context: YamlError.Context?, _ mark: Mark, _ source: SourceLines) {
        guard let context else { return nil }
        let start = YAMLPlace(
            line: context.mark.line,
            column: source.column(line: context.mark.line, scalarColumn: context.mark.column))
        switch context.text {
        case "while scanning a quoted scalar":
            guard
                problem == "found unexpected end of stream"
                    || problem == "found unexpected document indicator"
            else { return nil }
            (place, message, suggestion) = (start, "this quote is not closed", "close it on its line")
        case "while parsing a flow sequence" where Self.isOpen("[", "]", from: start, source):
            (place, message, suggestion) = (start, "this '[' is not closed", "close it with ']'")
        case "while parsing a flow mapping" where Self.isOpen("{", "}", from: start, source):
            (place, message, suggestion) = (start, "this '{' is not closed", "close it with '}'")
        case "while scanning a simple key" where problem == "could not find expected ':'":
            (place, message, suggestion) = (
                start, "a ':' is missing in this line", "write a key, ': ' and its value"
            )
        case "while parsing a block mapping", "while parsing a block collection":
            // The next quote closed it, and the text after that is not valid YAML.
            guard let opening = Self.openQuote(from: context.mark.line, to: mark.line, source) else {
                return nil
            }
            (place, message, suggestion) = (opening, "this quote is not closed", "close it on its line")
        case _: return nil
        }
    }

    func diagnostic(file: String, source: SourceLines) -> Diagnostic {
        Diagnostic(
            code: "Y001", file: file, line: place.line,
            column: place.column, message: message,
            suggestion: suggestion, sourceLine: source.line(place.line))
    }

    /// Whether the bracket at this place is not closed in the rest of the file.
    private static func isOpen(
        _ opening: Character, _ closing: Character, from start: YAMLPlace, _ source: SourceLines
    ) -> Bool {
        var depth = 0
        var line = start.line
        var text = source.line(line)?.dropFirst(max(0, start.column - 1))
        while let rest = text {
            for letter in rest {
                if letter == opening { depth += 1 }
                if letter == closing { depth -= 1 }
                if depth == 0 { return false }
            }
            line += 1
            text = source.line(line)?[...]
        }
        return true
    }

    /// The last line before the end whose value begins with a quote and does not close it.
    private static func openQuote(from first: Int, to last: Int, _ source: SourceLines) -> YAMLPlace? {
        guard first < last else { return nil }
        for line in stride(from: last - 1, through: first, by: -1) {
            guard let text = source.line(line), let colon = text.firstRange(of: ": ") else { continue }
            let value = text[colon.upperBound...].drop { $0 == " " }
            guard let quote = value.first, quote == "'" || quote == "\"" else { continue }
            guard !value.dropFirst().contains(quote) else { continue }
            return YAMLPlace(line: line, column: text[..<value.startIndex].count + 1)
        }
        return nil
    }
}

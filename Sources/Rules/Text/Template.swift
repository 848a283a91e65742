import Models
import YAMLSource

/// Text with placeholders such as `{{names}}` for the parts of the mail that an action may use.
///
/// Templates have no logic. Values are data: text from a mail is never parsed as a template, and its control
/// and direction characters are removed, so that none reaches a header, file or terminal.
struct Template: Sendable {
    enum Name: String, CaseIterable, Sendable {
        case subject = "subject"
        case fromName = "from.name"
        case fromAddress = "from.address"
        case toName = "to.name"
        case toAddress = "to.address"
        case date = "date"
        case dateInBody = "date-in-body"
    }

    enum Piece: Sendable {
        case literal(String)
        case builtIn(Name)
        /// A named group of one of the rule's patterns.
        case capture(String)
    }

    struct Problem: Error {
        let code: String
        let offset: Int
        let length: Int
        let message: String
        let suggestion: String?
    }

    static let builtIn = Name.allCases
    static let maximumValue = 500

    let source: String
    let pieces: [Piece]

    /// Parses a template; `captures` are the named groups of the rule.
    init(_ source: String, captures: Set<String>) throws(Problem) {
        self.source = source
        let letters = Array(source)
        var pieces: [Piece] = []
        var literal = ""
        var index = 0
        while index < letters.count {
            guard letters[index] == "{", index + 1 < letters.count, letters[index + 1] == "{" else {
                literal.append(letters[index])
                index += 1
                continue
            }
            var end = index + 2
            while end + 1 < letters.count, letters[end] != "}" || letters[end + 1] != "}" { end += 1 }
            guard end + 1 < letters.count else {
                throw Problem(
                    code: "R061", offset: index, length: 2, message: "this '{{' is not closed",
                    suggestion: "{{subject}}")
            }
            if !literal.isEmpty { pieces.append(.literal(literal)) }
            literal = ""
            let name = String(letters[(index + 2)..<end]).trimmingBlanks()
            pieces.append(try Self.piece(name, captures: captures, offset: index, length: end + 2 - index))
            index = end + 2
        }
        if !literal.isEmpty { pieces.append(.literal(literal)) }
        self.pieces = pieces
    }

    private static func piece(
        _ name: String, captures: Set<String>, offset: Int, length: Int
    ) throws(Problem) -> Piece {
        if let known = Name(rawValue: name) { return .builtIn(known) }
        if captures.contains(name) { return .capture(name) }
        let similar = nearest(to: name, among: builtIn.map(\.rawValue) + captures.sorted())
        let made =
            captures.isEmpty
            ? "no pattern of this rule has one"
            : "its patterns have \(captures.sorted().joined(separator: ", "))"
        throw Problem(
            code: "R060", offset: offset, length: length,
            message:
                "nothing fills '{{\(name)}}': it is neither a field of the mail nor a named group; \(made)",
            suggestion: similar.map { "did you mean '{{\($0)}}'?" })
    }

    /// The text, if it has no placeholders.
    var constant: String? {
        var result = ""
        for piece in pieces {
            guard case .literal(let text) = piece else { return nil }
            result += text
        }
        return result
    }

    var usesText: Bool {
        pieces.contains { if case .builtIn(.dateInBody) = $0 { true } else { false } }
    }

    /// Untrusted text on one line, without control and direction characters.
    static func clean(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            guard result.count < maximumValue else { break }
            switch scalar.value {
            case 0x09, 0x0A, 0x0D, 0x85, 0x2028, 0x2029: result.append(" ")
            case 0...0x1F, 0x7F...0x9F, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF: break
            case _: result.append(scalar)
            }
        }
        return String(result).split(separator: " ").joined(separator: " ")
    }
}

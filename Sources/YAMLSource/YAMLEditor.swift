import Models

/// Changes single values of a YAML text: comments, layout and order stay.
///
/// It finds a value by the place of its node. It does not change a value of several lines.
public struct YAMLEditor {
    private var lines: [[Character]]
    private let endsWithNewline: Bool
    private let mark: String

    public init(_ text: String) {
        // Like the reader, it does not count the byte order mark as a column.
        mark = text.first == "\u{FEFF}" ? "\u{FEFF}" : ""
        let text = text.dropFirst(mark.count)
        lines = String(text).fileLines.map(Array.init)
        endsWithNewline = lines.last?.isEmpty ?? false
        if endsWithNewline { lines.removeLast() }
    }

    /// The character before the line feed in this file, if any.
    private var lineEnd: [Character] { lines.first?.last == "\r" ? ["\r"] : [] }

    /// The current text.
    public var text: String {
        mark + lines.map { String($0) }.joined(separator: "\n") + (endsWithNewline ? "\n" : "")
    }

    /// The range of a scalar in its line, with its quotes; nil: it is not on one line.
    func range(of node: YAMLNode) -> Range<Int>? {
        guard case .scalar(let text, let style) = node.kind, lines.indices.contains(node.line - 1) else {
            return nil
        }
        let line = lines[node.line - 1]
        let start = node.column - 1
        guard start < line.count else { return nil }
        switch style {
        case .plain:
            let end = start + text.count
            return end <= line.count && String(line[start..<end]) == text ? start..<end : nil
        case .singleQuoted: return Self.closing("'", in: line, from: start) { String($0) == "''" }
        case .doubleQuoted: return Self.closing("\"", in: line, from: start) { $0.first == "\\" }
        case .literal, .folded: return nil
        }
    }

    /// From an opening quote to its closing quote. `escapes`: whether two characters form one.
    private static func closing(
        _ quote: Character, in line: [Character], from start: Int, escapes: (ArraySlice<Character>) -> Bool
    ) -> Range<Int>? {
        guard line[start] == quote else { return nil }
        var index = start + 1
        while index < line.count {
            if index + 1 < line.count, escapes(line[index...(index + 1)]) {
                index += 2
            } else if line[index] == quote {
                return start..<(index + 1)
            } else {
                index += 1
            }
        }
        return nil
    }

    /// The source of a scalar, with its quotes.
    public func source(of node: YAMLNode) -> String? {
        range(of: node).map { String(lines[node.line - 1][$0]) }
    }

    /// Replaces the source of a scalar; false: it has several lines.
    public mutating func replace(_ node: YAMLNode, with source: String) -> Bool {
        guard let range = range(of: node) else { return false }
        lines[node.line - 1].replaceSubrange(range, with: Array(source))
        return true
    }

    /// Adds entries after the last one of a list of texts, in the form of the list.
    public mutating func append(_ entries: [String], to list: YAMLNode) -> Bool {
        let quoted = entries.map(Self.quoted)
        guard let items = list.sequence else {
            // A list with one entry may have no brackets.
            guard let only = source(of: list) else { return false }
            return replace(list, with: "[" + ([only] + quoted).joined(separator: ", ") + "]")
        }
        guard let last = items.last else {
            guard lines.indices.contains(list.line - 1) else { return false }
            let line = lines[list.line - 1]
            guard list.column - 1 < line.count, line[list.column - 1] == "[" else { return false }
            lines[list.line - 1].insert(contentsOf: quoted.joined(separator: ", "), at: list.column)
            return true
        }
        guard let range = range(of: last) else { return false }
        let line = lines[last.line - 1]
        let lead = line[..<range.lowerBound]
        if lead.allSatisfy({ $0 == " " || $0 == "-" }), lead.contains("-") {
            lines.insert(contentsOf: quoted.map { Array(String(lead) + $0) + lineEnd }, at: last.line)
        } else {
            lines[last.line - 1].insert(contentsOf: quoted.map { ", " + $0 }.joined(), at: range.upperBound)
        }
        return true
    }

    /// Puts a key with its value before another key of the same mapping, in the form that the mapping has.
    public mutating func insert(_ entry: String, before key: YAMLNode) -> Bool {
        guard lines.indices.contains(key.line - 1), range(of: key) != nil else { return false }
        let column = key.column - 1
        let lead = lines[key.line - 1][..<column]
        if lead.allSatisfy({ $0 == " " }) {
            lines.insert(Array(String(lead) + entry) + lineEnd, at: key.line - 1)
        } else if lead.contains("{") {
            lines[key.line - 1].insert(contentsOf: entry + ", ", at: column)
        } else {
            return false
        }
        return true
    }

    /// The text in single quotes.
    public static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }
}

public import Models

/// A YAML document that a person wrote, with limits.
///
/// It refuses what such files do not need and what could be used for an attack: anchors, aliases, merge keys, tags,
/// more than 1 MiB, more than 50,000 nodes, more than 64 levels, a duplicate key.
public struct YAMLDocument: Sendable {
    /// The path as the user would type it.
    public let file: String
    public let text: String
    /// nil: the document is empty.
    public let root: YAMLNode?
    let source: SourceLines

    public static let maximumBytes = 1 << 20
    public static let maximumNodes = 50_000
    public static let maximumDepth = 64

    /// Reads a document. If it returns none, the diagnostics contain an error.
    public static func read(file: String, text: String) -> (
        document: YAMLDocument?, diagnostics: [Diagnostic]
    ) {
        guard text.utf8.count <= maximumBytes else {
            let size = text.utf8.count
            return (
                nil,
                [
                    Diagnostic(
                        code: "Y003", file: file,
                        message: "the file is too large: \(size) bytes, at most \(maximumBytes)",
                        suggestion: "split it")
                ]
            )
        }
        // Skips the byte order mark that some editors write.
        let text = text.first == "\u{FEFF}" ? String(text.dropFirst()) : text
        let source = SourceLines(text)
        var builder = NodeBuilder(file: file, source: source)
        let root = builder.build(text)
        guard builder.diagnostics.isEmpty else { return (nil, builder.diagnostics) }
        return (YAMLDocument(file: file, text: text, root: root, source: source), [])
    }

    /// A finding at a node.
    ///
    /// Without `length`, the caret underlines the scalar as written in the file.
    public func diagnostic(
        _ severity: Diagnostic.Severity = .error, code: String, at node: YAMLNode, length: Int? = nil,
        message: String, suggestion: String? = nil
    ) -> Diagnostic {
        diagnostic(
            severity, code: code, at: YAMLPlace(line: node.line, column: node.column),
            length: length ?? self.length(of: node), message: message, suggestion: suggestion)
    }

    /// A finding at a place.
    public func diagnostic(
        _ severity: Diagnostic.Severity = .error, code: String, at place: YAMLPlace, length: Int = 1,
        message: String, suggestion: String? = nil
    ) -> Diagnostic {
        Diagnostic(
            severity, code: code, file: file, line: place.line, column: place.column,
            length: max(1, length), message: message, suggestion: suggestion,
            sourceLine: source.line(place.line))
    }

    /// A finding inside a scalar, at an offset in Characters of its text.
    public func diagnostic(
        _ severity: Diagnostic.Severity = .error, code: String, in node: YAMLNode, offset: Int, length: Int,
        message: String, suggestion: String? = nil
    ) -> Diagnostic {
        let start = place(in: node, offset: offset)
        let end = place(in: node, offset: offset + max(1, length) - 1)
        let span = end.line == start.line && end.column >= start.column ? end.column - start.column + 1 : 1
        return diagnostic(
            severity, code: code, at: start, length: span, message: message, suggestion: suggestion)
    }

    private func length(of node: YAMLNode) -> Int {
        switch node.kind {
        case .scalar(let text, let style):
            let rest = max(1, (source.line(node.line)?.count ?? 0) - node.column + 1)
            let quotes = style == .singleQuoted || style == .doubleQuoted ? 2 : 0
            return style == .literal || style == .folded ? 1 : min(max(1, text.count + quotes), rest)
        case .sequence, .mapping: return 1
        }
    }
}

/// A place in a file: both numbers from 1, the column in Characters.
public struct YAMLPlace: Hashable, Sendable {
    public var line: Int
    public var column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}

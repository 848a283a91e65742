import Models
import Yams

/// Turns the nodes of Yams into ``YAMLNode``s, and refuses unsupported syntax.
struct NodeBuilder {
    let file: String
    let source: SourceLines
    var diagnostics: [Diagnostic] = []
    private var count = 0

    init(file: String, source: SourceLines) {
        self.file = file
        self.source = source
    }

    mutating func build(_ text: String) -> YAMLNode? {
        if let place = AliasBomb.find(in: text) {
            report("Y002", line: place, column: 1, "anchors and aliases are not used in these files", nil)
            return nil
        }
        do {
            // The parser owns the anchors, and nodes refer to them weakly, so it must live as long. All scalars are
            // text here, so it needs no patterns for numbers, dates and booleans.
            let parser = try Parser(yaml: text, resolver: .basic, constructor: Constructor([:], [:], [:]))
            let root = try parser.singleRoot()
            return withExtendedLifetime(parser) { root.flatMap { convert($0, depth: 1) } }
        } catch let error as YamlError {
            diagnostics.append(YAMLSlip.diagnostic(for: error, file: file, source: source))
        } catch {
            report("Y001", line: 0, column: 0, "the file cannot be read as YAML", nil)
        }
        return nil
    }

    private mutating func convert(_ node: Node, depth: Int) -> YAMLNode? {
        let line = node.mark?.line ?? 1
        let column = source.column(line: line, scalarColumn: node.mark?.column ?? 1)
        count += 1
        guard count <= YAMLDocument.maximumNodes else {
            if count == YAMLDocument.maximumNodes + 1 {
                report(
                    "Y003", line: line, column: column, "more than \(count - 1) values in one file",
                    "split it")
            }
            return nil
        }
        guard depth <= YAMLDocument.maximumDepth else {
            report("Y004", line: line, column: column, "nested deeper than \(depth - 1) levels", nil)
            return nil
        }
        if let anchor = node.anchor {
            report(
                "Y002", line: line, column: column, "anchors and aliases are not used in these files",
                "remove '&\(anchor.rawValue)', or put the text in single quotes")
            return nil
        }
        return content(of: node, depth: depth).map { YAMLNode(kind: $0, line: line, column: column) }
    }

    private mutating func content(of node: Node, depth: Int) -> YAMLNode.Kind? {
        switch node {
        case .scalar(let scalar):
            guard accepts(scalar.tag, at: node) else { return nil }
            return .scalar(scalar.string, Self.style(scalar.style))
        case .sequence(let sequence):
            guard accepts(sequence.tag, at: node) else { return nil }
            return .sequence(sequence.compactMap { convert($0, depth: depth + 1) })
        case .mapping(let mapping):
            guard accepts(mapping.tag, at: node) else { return nil }
            return .mapping(pairs(of: mapping, depth: depth))
        case .alias:
            report("Y002", at: node, "anchors and aliases are not used in these files", nil)
            return nil
        }
    }

    private mutating func pairs(
        of mapping: Node.Mapping, depth: Int
    ) -> [(key: YAMLNode, value: YAMLNode)] {
        var result: [(key: YAMLNode, value: YAMLNode)] = []
        for (key, value) in mapping {
            guard case .scalar(let scalar) = key else {
                report("Y001", at: key, "a key must be text", nil)
                continue
            }
            if scalar.string == "<<" {
                report("Y006", at: key, "merge keys ('<<') are not used in these files", nil)
                continue
            }
            if let name = convert(key, depth: depth + 1), let content = convert(value, depth: depth + 1) {
                result.append((name, content))
            }
        }
        return result
    }

    /// Tags (`!x`, `!!binary`) would change what text means.
    private mutating func accepts(_ tag: Tag, at node: Node) -> Bool {
        let name = tag.description
        guard !name.isEmpty, name != "tag:yaml.org,2002:str", name != "!" else { return true }
        report(
            "Y007", at: node, "tags ('\(name)') are not used in these files", "put the text in single quotes")
        return false
    }

    private static func style(_ style: Node.Scalar.Style) -> YAMLNode.ScalarStyle {
        switch style {
        case .any, .plain: .plain
        case .singleQuoted: .singleQuoted
        case .doubleQuoted: .doubleQuoted
        case .literal: .literal
        case .folded: .folded
        }
    }

    private mutating func report(_ code: String, at node: Node, _ message: String, _ suggestion: String?) {
        let line = node.mark?.line ?? 1
        let column = source.column(line: line, scalarColumn: node.mark?.column ?? 1)
        report(code, line: line, column: column, message, suggestion)
    }

    private mutating func report(
        _ code: String, line: Int, column: Int, _ message: String, _ suggestion: String?
    ) {
        guard diagnostics.count < 20 else { return }
        diagnostics.append(
            Diagnostic(
                code: code, file: file, line: line, column: column, message: message, suggestion: suggestion,
                sourceLine: source.line(line)))
    }
}

/// Finds documents that Yams must not compose: an alias costs nothing to write, but as a mapping key its
/// whole expansion is hashed, and twenty nested ones are a million nodes.
///
/// It looks at bytes, not at YAML: sixteen aliases can do no harm and are reported with their places later.
enum AliasBomb {
    /// The line of the seventeenth alias of a document with anchors.
    static func find(in text: String) -> Int? {
        let bytes = Array(text.utf8)
        var line = 1
        var anchors = 0
        var aliases: [Int] = []
        var isComment = false
        var onlyBlanks = true
        for index in bytes.indices {
            let byte = bytes[index]
            if byte == 0x0A || byte == 0x0D {
                line += byte == 0x0A ? 1 : 0
                isComment = false
                onlyBlanks = true
                continue
            }
            if onlyBlanks, byte == UInt8(ascii: "#") { isComment = true }
            if byte != 0x20 { onlyBlanks = false }
            guard !isComment, byte == UInt8(ascii: "&") || byte == UInt8(ascii: "*"),
                mayBeginToken(bytes, index), bytes.indices.contains(index + 1), isName(bytes[index + 1])
            else { continue }
            if byte == UInt8(ascii: "&") { anchors += 1 } else { aliases.append(line) }
        }
        return anchors > 0 && aliases.count > 16 ? aliases[16] : nil
    }

    private static func isName(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }

    private static func mayBeginToken(_ bytes: [UInt8], _ index: Int) -> Bool {
        guard index > 0 else { return true }
        let before = bytes[index - 1]
        // Bytes ≥ 0x80 may end one of Unicode's line breaks.
        if before <= 0x20 || before >= 0x80 || "[{,".utf8.contains(before) { return true }
        guard before == UInt8(ascii: ":"), index > 1 else { return false }
        return "\"'}]".utf8.contains(bytes[index - 2])
    }
}

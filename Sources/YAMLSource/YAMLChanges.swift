/// Changes whole values, entries and list items in a YAML text in any form. Comments, layout and order stay.
///
/// YAML has many forms, so a change may be wrong. The caller must read the new text, and keep it only if it has the
/// intended meaning.
public struct YAMLChanges {
    let text: String

    public init(_ text: String) { self.text = text }

    // MARK: Values

    /// Possible texts with another value for a node, the most probable one first.
    public func replacing(_ node: YAMLNode, _ value: String) -> [String] {
        var lines = self.lines
        guard lines.indices.contains(node.line - 1) else { return [] }
        var editor = YAMLEditor(text)
        if editor.replace(node, with: value) { return [editor.text] }
        let line = Array(lines[node.line - 1])
        let start = node.column - 1
        if start < line.count, line[start] == "[" || line[start] == "{" {
            guard let end = FlowExtent.end(of: line, from: start) else { return [] }
            lines[node.line - 1] = String(line[..<start]) + value + String(line[(end + 1)...])
            return [joined(lines)]
        }
        guard node.isEmpty else { return [] }
        // For `key:` without a value, the place of the empty value may be the end of the line, or the next line.
        return [node.line - 1, node.line - 2].filter(lines.indices.contains).compactMap { index in
            var changed = lines
            guard let colon = changed[index].lastIndex(of: ":") else { return nil }
            changed[index].insert(contentsOf: " " + value, at: changed[index].index(after: colon))
            return joined(changed)
        }
    }

    /// The texts with one more entry at the end of a mapping that might be right.
    public func adding(_ entry: String, to node: YAMLNode) -> [String] {
        guard let pairs = node.mapping else { return [] }
        var lines = self.lines
        guard lines.indices.contains(node.line - 1) else { return [] }
        let line = Array(lines[node.line - 1])
        let start = node.column - 1
        if start < line.count, line[start] == "{" {
            guard let end = FlowExtent.end(of: line, from: start) else { return [] }
            let inner = String(line[(start + 1)..<end])
            let isEmpty = inner.allSatisfy(\.isWhitespace)
            let head = String(line[..<(start + 1)]) + (isEmpty ? " " : Self.withoutBlanksAtEnd(inner) + ", ")
            lines[node.line - 1] = head + entry + " " + String(line[end...])
            return [joined(lines)]
        }
        guard let first = pairs.first else { return [] }
        let indent = first.key.column - 1
        var last = first.key.line - 1
        for index in last..<lines.count {
            let content = lines[index].drop { $0 == " " }
            guard !content.isEmpty, content != "\r" else { continue }
            let depth = lines[index].count - content.count
            let isOutside =
                index > first.key.line - 1
                && (depth < indent || content.hasPrefix("---") || content.hasPrefix("...")
                    || (depth == indent && content.hasPrefix("- ") && indent > 0))
            if isOutside {
                // A comment further out does not end the mapping.
                if content.hasPrefix("#") { continue }
                break
            }
            if depth > indent || !content.hasPrefix("#") { last = index }
        }
        let end = lines.first?.hasSuffix("\r") == true ? "\r" : ""
        lines.insert(String(repeating: " ", count: indent) + entry + end, at: last + 1)
        return [joined(lines)]
    }

    // MARK: Items

    /// The text with one more item at the end of a list at the top level; the list is made if it is missing. `item` writes it
    /// with its indentation, without a line end.
    public func appending(_ item: (Int) -> String, toList key: String) -> String {
        var lines = self.lines
        let end = lines.first?.hasSuffix("\r") == true ? "\r" : ""
        func written(_ indent: Int) -> String { item(indent).replacing("\n", with: end + "\n") + end }
        if let line = lines.firstIndex(where: { $0.hasPrefix(key + ":") }) {
            let rest = lines[line].dropFirst(key.count + 1).drop { $0 == " " }
            if rest.hasPrefix("[]") { lines[line] = key + ":" + rest.dropFirst(2) }
            let block = Self.block(in: lines, after: line)
            let indent = block.first.map { Self.indent(lines[$0.lowerBound]) } ?? 2
            lines.insert(written(indent), at: block.last?.upperBound ?? line + 1)
        } else {
            while lines.last?.allSatisfy(\.isWhitespace) == true { lines.removeLast() }
            lines += [key + ":" + end, written(2), ""]
        }
        return joined(lines)
    }

    /// The text without these lines, counted from one.
    public func removing(lines numbers: [Int]) -> String {
        joined(lines.enumerated().filter { !numbers.contains($0.offset + 1) }.map(\.element))
    }

    /// The text without the item that has this line, counted from one; nil: there is none. An empty list stays.
    public func removingItem(at number: Int, ofList key: String) -> String? {
        var lines = self.lines
        guard let line = lines.firstIndex(where: { $0.hasPrefix(key + ":") }) else { return nil }
        let block = Self.block(in: lines, after: line)
        guard let item = block.first(where: { $0.contains(number - 1) }) else { return nil }
        lines.removeSubrange(item)
        if block.count == 1 { lines[line] = key + ": []" + lines[line].dropFirst(key.count + 1) }
        return joined(lines)
    }

    /// The entries of the list below a key, each with the comments above it.
    private static func block(in lines: [String], after key: Int) -> [Range<Int>] {
        guard let first = lines[(key + 1)...].firstIndex(where: { isContent($0) }),
            lines[first].drop(while: { $0 == " " }).hasPrefix("-")
        else { return [] }
        let indent = indent(lines[first])
        var starts: [Int] = []
        var end = first
        for index in first..<lines.count {
            guard isContent(lines[index]) else { continue }
            let here = Self.indent(lines[index])
            guard here > indent || (here == indent && lines[index].dropFirst(indent).hasPrefix("-")) else {
                break
            }
            if here == indent { starts.append(index) }
            end = index + 1
        }
        return zip(starts, starts.dropFirst() + [end]).map { $0..<$1 }
    }

    private static func isContent(_ line: String) -> Bool {
        let text = line.drop { $0 == " " }
        return !text.isEmpty && text != "\r" && !text.hasPrefix("#")
    }

    private static func indent(_ line: String) -> Int { line.prefix { $0 == " " }.count }

    private static func withoutBlanksAtEnd(_ text: String) -> String {
        var text = text
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }

    private var mark: String { text.first == "\u{FEFF}" ? "\u{FEFF}" : "" }

    /// Without line feeds; a carriage return stays at the end of its line.
    private var lines: [String] {
        text.unicodeScalars.dropFirst(mark.isEmpty ? 0 : 1)
            .split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    }

    private func joined(_ lines: [String]) -> String { mark + lines.joined(separator: "\n") }
}

/// Where a list in brackets, or a mapping in braces, ends in its line.
enum FlowExtent {
    static func end(of line: [Character], from start: Int) -> Int? {
        var depth = 0
        var quote: Character?
        var index = start
        while index < line.count {
            let character = line[index]
            switch (quote, character) {
            case ("\""?, "\\"): index += 1
            case (let open?, _): if character == open { quote = nil }
            case (nil, "\""), (nil, "'"):
                // A quote inside a word is only a letter.
                if " [{,:".contains(line[index - 1]) { quote = character }
            case (nil, "["), (nil, "{"): depth += 1
            case (nil, "]"), (nil, "}"):
                depth -= 1
                if depth == 0 { return index }
            case (nil, "#"): if line[index - 1] == " " { return nil }
            case _: break
            }
            index += 1
        }
        return nil
    }
}

extension YAMLDocument {
    /// The place in the file of a Character at `offset` of a scalar's text.
    ///
    /// It accounts for quotes, escapes, folded lines and block indentation. If file and text do not match, it returns
    /// the last place that did.
    public func place(in node: YAMLNode, offset: Int) -> YAMLPlace {
        guard case .scalar(let text, let style) = node.kind else {
            return YAMLPlace(line: node.line, column: node.column)
        }
        var walk = ScalarWalk(source: source, line: node.line, column: node.column)
        switch style {
        case .plain: break
        case .singleQuoted, .doubleQuoted: walk.column += 1
        case .literal, .folded: walk.enterBlock()
        }
        for (index, character) in text.enumerated() {
            if index >= offset { break }
            guard walk.step(over: character, style: style) else { break }
        }
        walk.settle(style: style)
        return YAMLPlace(line: walk.line, column: walk.column)
    }
}

/// Follows the decoded text in the file, one Character at a time.
private struct ScalarWalk {
    let source: SourceLines
    var line: Int
    var column: Int
    var letters: [Character]
    private var blockIndent = 0

    init(source: SourceLines, line: Int, column: Int) {
        self.source = source
        self.line = line
        self.column = column
        letters = Array(source.line(line) ?? "")
    }

    /// Moves from the `|` or `>` to the first letter of the text.
    mutating func enterBlock() {
        guard nextLine() else { return }
        var probe = line
        while let text = source.line(probe), text.allSatisfy({ $0 == " " }), probe < line + 1_000 {
            probe += 1
        }
        blockIndent = source.line(probe)?.prefix { $0 == " " }.count ?? 0
        column = blockIndent + 1
    }

    private mutating func nextLine() -> Bool {
        guard let text = source.line(line + 1) else { return false }
        line += 1
        letters = Array(text)
        column = 1
        return true
    }

    private var current: Character? { letters.indices.contains(column - 1) ? letters[column - 1] : nil }

    /// At the end of a line, goes to where the text continues.
    mutating func settle(style: YAMLNode.ScalarStyle) {
        switch style {
        case .literal, .folded: return
        case .plain, .singleQuoted, .doubleQuoted:
            let rest = letters.dropFirst(column - 1)
            guard rest.allSatisfy({ $0 == " " || $0 == "\t" }), source.line(line + 1) != nil else { return }
            guard nextLine() else { return }
            column = letters.prefix { $0 == " " || $0 == "\t" }.count + 1
        }
    }

    mutating func step(over character: Character, style: YAMLNode.ScalarStyle) -> Bool {
        switch style {
        case .literal, .folded: return stepInBlock(over: character)
        case .plain: return stepInFlow(over: character)
        case .singleQuoted:
            if current == "'", character == "'" {
                column += 2
                return true
            }
            return stepInFlow(over: character)
        case .doubleQuoted:
            guard current == "\\" else { return stepInFlow(over: character) }
            return stepOverEscape()
        }
    }

    private mutating func stepInFlow(over character: Character) -> Bool {
        let rest = letters.dropFirst(column - 1)
        if character == " " || character == "\n", rest.allSatisfy({ $0 == " " || $0 == "\t" }) {
            guard nextLine() else { return false }
            column = letters.prefix { $0 == " " || $0 == "\t" }.count + 1
            return true
        }
        guard current == character else { return false }
        column += 1
        return true
    }

    private mutating func stepOverEscape() -> Bool {
        let code: Character? = letters.indices.contains(column) ? letters[column] : nil
        switch code {
        case "x": column += 4
        case "u": column += 6
        case "U": column += 10
        case nil: return false
        case _: column += 2
        }
        return true
    }

    private mutating func stepInBlock(over character: Character) -> Bool {
        if character == "\n" || (character == " " && current == nil) {
            guard nextLine() else { return false }
            column = blockIndent + 1
            return true
        }
        guard current == character else { return false }
        column += 1
        return true
    }
}

import NIOCore

/// One value of a response with any nesting, as a flat list of nodes in the order of the text.
///
/// It only reads; ``StructureReader`` interprets the nodes. This allows for servers whose ENVELOPE or BODYSTRUCTURE has
/// a field too few or too many. There is no recursion, and depth and count are limited.
struct ValueTree {
    struct Node {
        enum Kind {
            case list
            case null
            /// A word without quotes: a number, or a string without its quotes.
            case atom
            /// A quoted string or a literal.
            case string
        }

        var kind: Kind
        /// The octets of an atom or string: in ``text``, or in ``rewritten``.
        var octets = 0..<0
        var isRewritten = false
        /// The index after the last node inside this node.
        var end: Int
    }

    /// The text of the whole response.
    let text: [UInt8]
    /// Strings that are not in the text in their final form: literals, and strings with backslashes.
    var rewritten: [UInt8] = []
    var nodes: [Node] = []
    /// Whether a word contains a quote. Then quotes were not escaped, and the fields cannot be told apart.
    var hasStrayQuote = false

    init(text: [UInt8]) {
        self.text = text
        nodes.reserveCapacity(64)
    }

    func bytes(_ index: Int) -> ArraySlice<UInt8> {
        let node = nodes[index]
        return node.isRewritten ? rewritten[node.octets] : text[node.octets]
    }

    /// The direct children of a list.
    func children(of index: Int) -> [Int] {
        guard nodes[index].kind == .list else { return [] }
        var children: [Int] = []
        var next = index + 1
        while next < nodes[index].end {
            children.append(next)
            next = nodes[next].end
        }
        return children
    }
}

extension ValueTree {
    fileprivate mutating func appendRewritten(_ octets: some Collection<UInt8>) {
        let start = rewritten.count
        rewritten += octets
        nodes.append(
            .init(kind: .string, octets: start..<rewritten.count, isRewritten: true, end: nodes.count + 1))
    }
}

extension Cursor {
    /// Reads one value of any kind: a word, a string, a literal, or a list with its parentheses.
    mutating func valueTree() throws(ParseFailure) -> ValueTree {
        var tree = ValueTree(text: text)
        var open: [Int] = []
        repeat {
            skipSpaces()
            switch peek {
            case nil:
                throw failure(open.isEmpty ? .expected("value") : .unbalancedParentheses)
            case .openParenthesis:
                index += 1
                open.append(tree.nodes.count)
                guard open.count <= limits.nesting else {
                    throw failure(.nesting(actual: open.count, maximum: limits.nesting))
                }
                tree.nodes.append(.init(kind: .list, end: 0))
            case .closeParenthesis:
                guard let list = open.popLast() else { throw failure(.expected("value")) }
                index += 1
                tree.nodes[list].end = tree.nodes.count
            default:
                try countItem()
                try appendLeaf(to: &tree)
            }
        } while !open.isEmpty
        return tree
    }

    private mutating func appendLeaf(to tree: inout ValueTree) throws(ParseFailure) {
        let end = tree.nodes.count + 1
        if peek == .quote {
            try appendQuoted(to: &tree)
        } else if let content = literal() {
            guard case .bytes(let buffer) = content else { throw failure(.misplacedLiteral) }
            tree.appendRewritten(buffer.readableBytesView)
        } else if skipNil() {
            tree.nodes.append(.init(kind: .null, end: end))
        } else {
            let start = index
            // Reads at least one octet, so that the loop ends.
            repeat {
                if text[index] == .quote { tree.hasStrayQuote = true }
                index += 1
            } while index < text.count && !endsWord(text[index])
            tree.nodes.append(.init(kind: .atom, octets: start..<index, end: end))
        }
    }

    private func endsWord(_ byte: UInt8) -> Bool {
        switch byte {
        case .space, .openParenthesis, .closeParenthesis: true
        case .openBrace: isAtLiteral
        default: false
        }
    }

    /// A quoted string. An unescaped quote belongs to it if no separator follows.
    private mutating func appendQuoted(to tree: inout ValueTree) throws(ParseFailure) {
        let start = index + 1
        var end = start
        while end < text.count, text[end] != .quote, text[end] != .backslash { end += 1 }
        if end < text.count, text[end] == .quote, endsString(at: end + 1) {
            index = end + 1
            return tree.nodes.append(.init(kind: .string, octets: start..<end, end: tree.nodes.count + 1))
        }
        index = start
        tree.appendRewritten(try unescaped())
    }

    private mutating func unescaped() throws(ParseFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        while let byte = peek {
            index += 1
            if byte == .backslash, let next = peek, next == .quote || next == .backslash {
                bytes.append(next)
                index += 1
            } else if byte == .quote {
                if endsString(at: index) { return bytes }
                note(.unescapedQuote)
                bytes.append(byte)
            } else {
                if byte == .backslash { note(.strayBackslash) }
                bytes.append(byte)
            }
        }
        throw failure(.expected("closing quote"))
    }

    private func endsString(at place: Int) -> Bool {
        guard place < text.count else { return true }
        switch text[place] {
        case .space, .openParenthesis, .closeParenthesis: return true
        case .openBrace: return isLiteral(at: place)
        default: return false
        }
    }
}

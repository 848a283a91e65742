/// What LIST, LSUB or XLIST says of one mailbox. RFC 3501 §7.2.2, RFC 5258, RFC 6154.
public struct ListResponse: Equatable, Sendable {
    /// As they came: `\HasNoChildren`.
    public var attributes: [String]
    /// nil where names have no hierarchy.
    public var delimiter: UInt8?
    /// The exact bytes of the name.
    public var name: [UInt8]
    /// What was selected below this mailbox, in upper case: `SUBSCRIBED`. RFC 5258 §3.5.
    public var childInfo: [String] = []
    /// The name before a RENAME, exact bytes. RFC 9051 §6.3.9.7.
    public var oldName: [UInt8]?

    public init(
        attributes: [String] = [], delimiter: UInt8?, name: [UInt8], childInfo: [String] = [],
        oldName: [UInt8]? = nil
    ) {
        self.attributes = attributes
        self.delimiter = delimiter
        self.name = name
        self.childInfo = childInfo
        self.oldName = oldName
    }

    func hasAttribute(_ attribute: String) -> Bool {
        attributes.contains { $0.utf8.uppercasedWord == attribute.utf8.uppercasedWord }
    }

    /// Whether the mailbox can be selected at all.
    public var isSelectable: Bool { !hasAttribute("\\Noselect") && !hasAttribute("\\NonExistent") }
}

extension Cursor {
    mutating func listResponse() throws(ParseFailure) -> ListResponse {
        let attributes = try flagList()
        skipSpaces()
        let delimiter = try delimiter()
        skipSpaces()
        var response = ListResponse(attributes: attributes, delimiter: delimiter, name: try listedName())
        if skipSpaces() > 0, peek == .openParenthesis { try listExtension(into: &response) }
        return response
    }

    /// `("CHILDINFO" ("SUBSCRIBED") "OLDNAME" ("old"))`. RFC 5258 §6, RFC 9051 §7.3.1.
    private mutating func listExtension(into response: inout ListResponse) throws(ParseFailure) {
        let tree = try valueTree()
        var items = tree.children(of: 0)[...]
        while let tag = items.popFirst(), let value = items.popFirst() {
            let values = tree.children(of: value).filter { tree.nodes[$0].kind != .list }
            switch tree.bytes(tag).uppercasedWord {
            case "CHILDINFO": response.childInfo = values.map { tree.bytes($0).uppercasedWord }
            case "OLDNAME": response.oldName = values.first.map { Array(tree.bytes($0)) }
            default: break
            }
        }
    }

    mutating func delimiter() throws(ParseFailure) -> UInt8? {
        if skipNil() { return nil }
        if text[index...].starts(with: [.quote, .backslash, .quote, .space]) {
            note(.unescapedDelimiter)
            index += 3
            return .backslash
        }
        guard let bytes = try string() else { throw failure(.expected("delimiter")) }
        if bytes.isEmpty { note(.emptyDelimiter) }
        return bytes.first
    }

    /// A name in quotes or as a literal; without them it goes on to the line's end, or to extended data.
    private mutating func listedName() throws(ParseFailure) -> [UInt8] {
        if peek == .quote { return try quotedName() }
        if let name = try string() { return name }
        let start = index
        _ = read { $0 != .space }
        let name = text[start..<index]
        guard !name.isEmpty else { throw failure(.expected("mailbox name")) }
        let following = rest.drop { $0 == .space }
        if following.isEmpty {
            if !isAtEnd { note(.trailingSpace) }
            if name.contains(.tab) { note(.unquotedMailbox) }
            return Array(name)
        }
        if following.first == .openParenthesis { return Array(name) }
        note(.unquotedMailbox)
        return Self.trimmed(text[start...])
    }

    /// A name in quotes. Where it holds quotes that the server did not escape, it goes on to the last quote of the line
    /// (GreenMail).
    private mutating func quotedName() throws(ParseFailure) -> [UInt8] {
        let start = index
        let name = try? quoted()
        let following = rest.drop { $0 == .space }
        if let name, following.isEmpty || (peek == .space && following.first == .openParenthesis) {
            return name
        }
        guard let end = text.lastIndex(of: .quote), end > start,
            text[(end + 1)...].allSatisfy({ $0 == .space })
        else { throw failure(.expected("closing quote")) }
        note(.unescapedQuote)
        index = text.count
        return Array(text[(start + 1)..<end])
    }

    static func trimmed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var bytes = bytes
        while bytes.last == .space { bytes = bytes.dropLast() }
        return Array(bytes)
    }
}

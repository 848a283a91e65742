/// One mailbox in a LIST, LSUB or XLIST response. RFC 3501 §7.2.2, RFC 5258, RFC 6154.
public struct ListResponse: Equatable, Sendable {
    /// Unchanged: `\HasNoChildren`.
    public var attributes: [String]
    /// nil: names have no hierarchy.
    public var delimiter: UInt8?
    /// The exact bytes of the name.
    public var name: [UInt8]
    /// What the client selected below this mailbox, in upper case: `SUBSCRIBED`. RFC 5258 §3.5.
    public var childInfo: [String] = []
    /// The name before a RENAME, in exact bytes. RFC 9051 §6.3.9.7.
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

    /// Whether the mailbox can be selected.
    public var isSelectable: Bool { !hasAttribute("\\Noselect") && !isNonExistent }

    /// Whether the mailbox does not exist, for instance because it was just deleted. RFC 5258 §3, RFC 5465 §5.4.
    public var isNonExistent: Bool { hasAttribute("\\NonExistent") }
}

extension ListResponse {
    static func read(_ cursor: inout Cursor) throws(ParseFailure) -> ListResponse {
        let attributes = try cursor.flagList()
        cursor.skipSpaces()
        let delimiter = try cursor.delimiter()
        cursor.skipSpaces()
        var response = ListResponse(
            attributes: attributes, delimiter: delimiter, name: try listedName(&cursor))
        if cursor.skipSpaces() > 0, cursor.peek == .openParenthesis {
            try listExtension(&cursor, into: &response)
        }
        return response
    }

    /// `("CHILDINFO" ("SUBSCRIBED") "OLDNAME" ("old"))`. RFC 5258 §6, RFC 9051 §7.3.1.
    private static func listExtension(_ cursor: inout Cursor, into response: inout ListResponse)
        throws(ParseFailure)
    {
        let tree = try cursor.valueTree()
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

    /// A name in quotes, as a literal, or without quotes. In the last form it extends to the end of the line or to
    /// extended data.
    private static func listedName(_ cursor: inout Cursor) throws(ParseFailure) -> [UInt8] {
        if cursor.peek == .quote { return try quotedName(&cursor) }
        if let name = try cursor.string() { return name }
        let start = cursor.index
        _ = cursor.read { $0 != .space }
        let name = cursor.text[start..<cursor.index]
        guard !name.isEmpty else { throw cursor.failure(.expected("mailbox name")) }
        let following = cursor.rest.drop { $0 == .space }
        if following.isEmpty {
            if !cursor.isAtEnd { cursor.note(.trailingSpace) }
            if name.contains(.tab) { cursor.note(.unquotedMailbox) }
            return Array(name)
        }
        if following.first == .openParenthesis { return Array(name) }
        cursor.note(.unquotedMailbox)
        return Cursor.trimmed(cursor.text[start...])
    }

    /// A name in quotes. If it contains unescaped quotes, it extends to the last quote of the line (GreenMail).
    private static func quotedName(_ cursor: inout Cursor) throws(ParseFailure) -> [UInt8] {
        let start = cursor.index
        let name = try? cursor.quoted()
        let following = cursor.rest.drop { $0 == .space }
        if let name, following.isEmpty || (cursor.peek == .space && following.first == .openParenthesis) {
            return name
        }
        guard let end = cursor.text.lastIndex(of: .quote), end > start,
            cursor.text[(end + 1)...].allSatisfy({ $0 == .space })
        else { throw cursor.failure(.expected("closing quote")) }
        cursor.note(.unescapedQuote)
        cursor.index = cursor.text.count
        return Array(cursor.text[(start + 1)..<end])
    }
}

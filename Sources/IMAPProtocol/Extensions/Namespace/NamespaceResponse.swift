/// Where a server keeps the mailboxes of each kind of owner. RFC 2342 §5.
///
///     Namespace-Response = "*" SP "NAMESPACE" SP Namespace SP Namespace SP Namespace
public struct NamespaceResponse: Equatable, Sendable {
    public struct Entry: Equatable, Sendable {
        public var prefix: [UInt8]
        public var delimiter: UInt8?

        public init(prefix: [UInt8], delimiter: UInt8?) {
            self.prefix = prefix
            self.delimiter = delimiter
        }
    }

    public var personal: [Entry]
    public var otherUsers: [Entry]
    public var shared: [Entry]

    public init(personal: [Entry] = [], otherUsers: [Entry] = [], shared: [Entry] = []) {
        self.personal = personal
        self.otherUsers = otherUsers
        self.shared = shared
    }
}

extension NamespaceResponse {
    /// Whether a mailbox belongs to another user, or to a group. The longest prefix decides, because the prefix of one
    /// kind may be empty (Cyrus).
    public func isForeign(_ mailbox: [UInt8]) -> Bool {
        let longest = { (entries: [Entry]) in
            entries.map(\.prefix).filter { mailbox.starts(with: $0) }.map(\.count).max() ?? -1
        }
        return longest(otherUsers + shared) > longest(personal)
    }

    /// What the server puts before the names of the user's own mailboxes, with the delimiter at its end; nil: nothing.
    public var personalPrefix: [UInt8]? {
        guard let first = personal.first, !personal.contains(where: \.prefix.isEmpty),
            let delimiter = first.delimiter, first.prefix.last == delimiter
        else { return nil }
        return first.prefix
    }

    static func read(_ cursor: inout Cursor) throws(ParseFailure) -> NamespaceResponse {
        let personal = try namespaceEntries(&cursor)
        cursor.skipSpaces()
        let otherUsers = try namespaceEntries(&cursor)
        cursor.skipSpaces()
        return NamespaceResponse(
            personal: personal, otherUsers: otherUsers, shared: try namespaceEntries(&cursor))
    }

    private static func namespaceEntries(_ cursor: inout Cursor) throws(ParseFailure) -> [NamespaceResponse
        .Entry]
    {
        if cursor.skipNil() { return [] }
        try cursor.expect(.openParenthesis)
        var entries: [NamespaceResponse.Entry] = []
        while true {
            cursor.skipSpaces()
            if cursor.take(.closeParenthesis) { return entries }
            try cursor.countItem()
            try cursor.expect(.openParenthesis)
            guard let prefix = try cursor.string() else { throw cursor.failure(.expected("prefix")) }
            cursor.skipSpaces()
            entries.append(.init(prefix: prefix, delimiter: try cursor.delimiter()))
            // Extensions: each has a name and a list of values.
            while cursor.skipSpaces() > 0, cursor.peek != .closeParenthesis { try cursor.skipValue() }
            try cursor.expect(.closeParenthesis)
        }
    }
}

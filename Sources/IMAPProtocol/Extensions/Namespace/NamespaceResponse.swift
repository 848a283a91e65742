/// Where a server keeps whose mailboxes. RFC 2342 §5.
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

extension Cursor {
    mutating func namespaceResponse() throws(ParseFailure) -> NamespaceResponse {
        let personal = try namespaceEntries()
        skipSpaces()
        let otherUsers = try namespaceEntries()
        skipSpaces()
        return NamespaceResponse(
            personal: personal, otherUsers: otherUsers, shared: try namespaceEntries())
    }

    private mutating func namespaceEntries() throws(ParseFailure) -> [NamespaceResponse.Entry] {
        if skipNil() { return [] }
        try expect(.openParenthesis)
        var entries: [NamespaceResponse.Entry] = []
        while true {
            skipSpaces()
            if take(.closeParenthesis) { return entries }
            try countItem()
            try expect(.openParenthesis)
            guard let prefix = try string() else { throw failure(.expected("prefix")) }
            skipSpaces()
            entries.append(.init(prefix: prefix, delimiter: try delimiter()))
            // Extensions: a name and a list of values each.
            while skipSpaces() > 0, peek != .closeParenthesis { try skipValue() }
            try expect(.closeParenthesis)
        }
    }
}

/// The used part of each resource of a quota root. RFC 9208 §5.1. opus reads it in transcripts and never requests it.
///
///     quota-response     = "QUOTA" SP quota-root-name SP quota-list
///     quotaroot-response = "QUOTAROOT" SP mailbox *(SP quota-root-name)
public struct QuotaResponse: Equatable, Sendable {
    public struct Resource: Equatable, Sendable {
        /// Upper case: `STORAGE`, in units of 1,024 octets; `MESSAGE`.
        public var name: String
        public var usage: UInt64
        public var limit: UInt64

        public init(name: String, usage: UInt64, limit: UInt64) {
            self.name = name
            self.usage = usage
            self.limit = limit
        }
    }

    /// The exact bytes of the root's name, which is often empty.
    public var root: [UInt8]
    public var resources: [Resource]

    public init(root: [UInt8], resources: [Resource]) {
        self.root = root
        self.resources = resources
    }
}

/// The quota roots of a mailbox, by name. RFC 9208 §5.2.
public struct QuotaRootResponse: Equatable, Sendable {
    public var mailbox: [UInt8]
    public var roots: [[UInt8]]

    public init(mailbox: [UInt8], roots: [[UInt8]]) {
        self.mailbox = mailbox
        self.roots = roots
    }
}

extension QuotaResponse {
    /// `QUOTA "" (STORAGE 10 512)`. RFC 9208 §7 (`quota-response`).
    static func read(_ cursor: inout Cursor) throws(ParseFailure) -> QuotaResponse {
        let root = try cursor.astring("quota root")
        var resources: [QuotaResponse.Resource] = []
        cursor.skipSpaces()
        if cursor.isAtEnd { return QuotaResponse(root: root, resources: []) }
        try cursor.expect(.openParenthesis)
        while true {
            cursor.skipSpaces()
            if cursor.take(.closeParenthesis) { return QuotaResponse(root: root, resources: resources) }
            try cursor.countItem()
            let name = cursor.word()
            guard !name.isEmpty else { throw cursor.failure(.expected("resource")) }
            cursor.skipSpaces()
            let usage = try quotaNumber(&cursor)
            cursor.skipSpaces()
            let limit = try quotaNumber(&cursor)
            guard let usage, let limit else { continue }
            resources.append(.init(name: serverText(name.utf8, maximum: 64), usage: usage, limit: limit))
        }
    }

    /// nil: the server sent a negative number.
    private static func quotaNumber(_ cursor: inout Cursor) throws(ParseFailure) -> UInt64? {
        guard cursor.take(.minus) else { return try cursor.number64() }
        cursor.note(.negativeNumber)
        _ = try cursor.number64()
        return nil
    }
}

extension QuotaRootResponse {
    /// `QUOTAROOT INBOX ""`. RFC 9208 §7 (`quotaroot-response`).
    static func read(_ cursor: inout Cursor) throws(ParseFailure) -> QuotaRootResponse {
        let mailbox = try cursor.astring("mailbox name")
        var roots: [[UInt8]] = []
        while cursor.skipSpaces() > 0, !cursor.isAtEnd {
            try cursor.countItem()
            roots.append(try cursor.astring("quota root"))
        }
        return QuotaRootResponse(mailbox: mailbox, roots: roots)
    }
}

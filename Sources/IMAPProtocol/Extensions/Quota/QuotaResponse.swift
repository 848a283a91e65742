/// How much of what a quota root allows is used. RFC 9208 §5.1.
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

    /// The exact bytes of the root's name, often none.
    public var root: [UInt8]
    public var resources: [Resource]

    public init(root: [UInt8], resources: [Resource]) {
        self.root = root
        self.resources = resources
    }
}

/// Which quotas hold for a mailbox, by the names of their roots. RFC 9208 §5.2.
public struct QuotaRootResponse: Equatable, Sendable {
    public var mailbox: [UInt8]
    public var roots: [[UInt8]]

    public init(mailbox: [UInt8], roots: [[UInt8]]) {
        self.mailbox = mailbox
        self.roots = roots
    }
}

extension Cursor {
    /// `QUOTA "" (STORAGE 10 512)`. RFC 9208 §7 (`quota-response`).
    mutating func quotaResponse() throws(ParseFailure) -> QuotaResponse {
        let root = try astring("quota root")
        var resources: [QuotaResponse.Resource] = []
        skipSpaces()
        if isAtEnd { return QuotaResponse(root: root, resources: []) }
        try expect(.openParenthesis)
        while true {
            skipSpaces()
            if take(.closeParenthesis) { return QuotaResponse(root: root, resources: resources) }
            try countItem()
            let name = word()
            guard !name.isEmpty else { throw failure(.expected("resource")) }
            skipSpaces()
            let usage = try quotaNumber()
            skipSpaces()
            let limit = try quotaNumber()
            guard let usage, let limit else { continue }
            resources.append(.init(name: serverText(name.utf8, maximum: 64), usage: usage, limit: limit))
        }
    }

    /// Nil where a server counts below zero.
    private mutating func quotaNumber() throws(ParseFailure) -> UInt64? {
        guard take(.minus) else { return try number64() }
        note(.negativeNumber)
        _ = try number64()
        return nil
    }

    /// `QUOTAROOT INBOX ""`. RFC 9208 §7 (`quotaroot-response`).
    mutating func quotaRootResponse() throws(ParseFailure) -> QuotaRootResponse {
        let mailbox = try astring("mailbox name")
        var roots: [[UInt8]] = []
        while skipSpaces() > 0, !isAtEnd {
            try countItem()
            roots.append(try astring("quota root"))
        }
        return QuotaRootResponse(mailbox: mailbox, roots: roots)
    }
}

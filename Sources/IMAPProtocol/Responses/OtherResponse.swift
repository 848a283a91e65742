/// Responses beyond the first RFC that we read, and the names of those that we do not.
public enum OtherResponse: Equatable, Sendable {
    case quota(QuotaResponse)
    /// Which quotas hold for a mailbox, by the names of their roots. RFC 9208 §5.2.
    case quotaRoot(mailbox: [UInt8], roots: [[UInt8]])
    /// A line with nothing on it.
    case blank
    /// A response that we have no use for, by its keyword in upper case.
    case unknown(String)
}

extension OtherResponse: ExpressibleByStringLiteral {
    public init(stringLiteral keyword: String) { self = .unknown(keyword) }
}

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

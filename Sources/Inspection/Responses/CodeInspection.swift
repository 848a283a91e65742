import IMAPProtocol

/// The response code of a status response, and its arguments if known.
public struct CodeInspection: Encodable, Sendable {
    /// Upper case: `COPYUID`.
    public var name: String
    /// The number of UIDNEXT and HIGHESTMODSEQ.
    public var number: UInt64?
    public var flags: [String]?
    public var capabilities: [String]?
    /// The UIDVALIDITY of UIDVALIDITY, COPYUID and APPENDUID.
    public var uidValidity: UInt32?
    /// The UID of APPENDUID.
    public var uid: UInt32?
    /// The UIDs of COPYUID, in the server's order, which pairs sources and destinations.
    public var sources: [UInt32]?
    public var destinations: [UInt32]?
    /// The UIDs of MODIFIED, as a set: `1:4,7`.
    public var uids: String?
    /// The arguments of any other code, unchanged.
    public var arguments: String?

    init(_ code: ResponseCode) {
        name = code.name.rawValue
        switch code {
        case .capability(let names): capabilities = names.map(\.name).sorted()
        case .uidValidity(let value): uidValidity = value
        case .uidNext(let value): number = UInt64(value)
        case .highestModSeq(let value): number = value
        case .permanentFlags(let flags): self.flags = flags
        case .copyUID(let proof):
            uidValidity = proof.uidValidity
            sources = proof.sources
            destinations = proof.destinations
        case .appendUID(let proof):
            uidValidity = proof.uidValidity
            uid = proof.uid
        case .modified(let set): uids = set.description
        case .other(_, let arguments): self.arguments = arguments.isEmpty ? nil : arguments
        case .noModSeq, .readOnly, .readWrite, .tryCreate, .alert, .authenticationFailed, .overQuota,
            .unavailable, .closed, .nonExistent, .alreadyExists:
            break
        }
    }
}

/// One field of a server's ID.
public struct IDFieldInspection: Encodable, Sendable {
    public var name: String
    public var value: String?

    init(_ field: IDField) {
        name = field.name
        value = field.value
    }
}

/// The namespaces of a server. RFC 2342 §5.
public struct NamespaceInspection: Encodable, Sendable {
    public struct Entry: Encodable, Sendable {
        public var prefix: String
        public var delimiter: String?

        init(_ entry: NamespaceResponse.Entry) {
            prefix = words(entry.prefix)
            delimiter = entry.delimiter.map { words([$0]) }
        }
    }

    public var personal: [Entry]
    public var otherUsers: [Entry]
    public var shared: [Entry]

    init(_ response: NamespaceResponse) {
        personal = response.personal.map(Entry.init)
        otherUsers = response.otherUsers.map(Entry.init)
        shared = response.shared.map(Entry.init)
    }
}

/// The usage of a quota. RFC 9208 §5.1.
public struct QuotaInspection: Encodable, Sendable {
    public struct Resource: Encodable, Sendable {
        public var name: String
        public var usage: UInt64
        public var limit: UInt64
    }

    public var root: String
    public var resources: [Resource]

    init(_ response: QuotaResponse) {
        root = words(response.root)
        resources = response.resources.map { Resource(name: $0.name, usage: $0.usage, limit: $0.limit) }
    }
}

/// What the user may do in a mailbox. RFC 4314 §3.8.
public struct RightsInspection: Encodable, Sendable {
    public var mailbox: MailboxNameInspection
    public var rights: String

    init(_ response: RightsResponse) {
        mailbox = MailboxNameInspection(response.mailbox)
        rights = response.rights
    }
}

/// The quota roots of a mailbox. RFC 9208 §5.2.
public struct QuotaRootInspection: Encodable, Sendable {
    public var mailbox: MailboxNameInspection
    public var roots: [String]

    init(_ response: QuotaRootResponse) {
        mailbox = MailboxNameInspection(response.mailbox)
        roots = response.roots.map(words)
    }
}

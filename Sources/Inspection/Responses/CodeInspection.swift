import IMAPProtocol

/// The code in brackets in a status response, and what it says where that is known.
public struct CodeInspection: Encodable, Sendable {
    /// Upper case: `COPYUID`.
    public var name: String
    /// Of UIDNEXT and HIGHESTMODSEQ.
    public var number: UInt64?
    public var flags: [String]?
    public var capabilities: [String]?
    /// Of UIDVALIDITY, COPYUID and APPENDUID.
    public var uidValidity: UInt32?
    /// Of APPENDUID.
    public var uid: UInt32?
    /// Of COPYUID, in the server's order: the pairs are what counts.
    public var sources: [UInt32]?
    public var destinations: [UInt32]?
    /// Of MODIFIED, as a set: `1:4,7`.
    public var uids: String?
    /// Of any other code, as they came.
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

/// One thing that a server says of itself.
public struct IDFieldInspection: Encodable, Sendable {
    public var name: String
    public var value: String?

    init(_ field: IDField) {
        name = field.name
        value = field.value
    }
}

/// Where whose mailboxes are.
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

/// How much of what is allowed is used.
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

/// Which quotas hold for a mailbox.
public struct QuotaRootInspection: Encodable, Sendable {
    public var mailbox: MailboxNameInspection
    public var roots: [String]

    init(_ response: QuotaRootResponse) {
        mailbox = MailboxNameInspection(response.mailbox)
        roots = response.roots.map(words)
    }
}

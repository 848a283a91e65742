import IMAPProtocol

/// One response of an IMAP server.
///
/// Texts are untrusted; octets that are not UTF-8 are replaced.
public struct ResponseInspection: Encodable, Sendable {
    /// Such as `fetch`; `incomplete`: bytes at the end that are not a complete response.
    public var kind: String
    /// The position of the response in the transcript, and its length in bytes with its literals.
    public var offset: Int
    public var length: Int
    public var tag: String?
    /// `OK`, `NO`, `BAD`, `BYE` or `PREAUTH`.
    public var status: String?
    public var code: CodeInspection?
    public var text: String?
    /// The number of `exists`, `recent` and `expunge`.
    public var number: UInt32?
    public var flags: [String]?
    public var capabilities: [String]?
    public var list: ListInspection?
    public var mailboxStatus: MailboxStatusInspection?
    public var search: SearchInspection?
    public var vanished: VanishedInspection?
    public var fetch: FetchInspection?
    public var id: [IDFieldInspection]?
    public var namespace: NamespaceInspection?
    public var rights: RightsInspection?
    public var quota: QuotaInspection?
    public var quotaRoot: QuotaRootInspection?
    /// The keyword of a response that opus does not use.
    public var keyword: String?
    public var unparsable: UnparsableInspection?
    /// The number of each deviation from the grammar, by its name in `docs/Quirks.md`.
    public var quirks: [String: Int] = [:]

    init(kind: String, offset: Int, length: Int) {
        self.kind = kind
        self.offset = offset
        self.length = length
    }
}

extension ResponseInspection {
    /// `streamed`: the literals that came before the response and belong to it.
    init(_ response: Response, at place: Range<Int>, streamed: [StreamedSection]) {
        self.init(kind: response.kind, offset: place.lowerBound, length: place.count)
        switch response {
        case .tagged(let tag, let status):
            self.tag = tag.rawValue
            fill(status)
        case .continuation(let text): self.text = text
        case .untagged(let untagged): fill(untagged, streamed: streamed)
        }
    }

    private mutating func fill(_ response: Untagged, streamed: [StreamedSection]) {
        switch response {
        case .status(let status): fill(status)
        case .capability(let names), .enabled(let names): capabilities = names.map(\.name).sorted()
        case .list(let one): list = ListInspection(one)
        case .mailboxStatus(let status): mailboxStatus = MailboxStatusInspection(status)
        case .search(let found): search = SearchInspection(found)
        case .esearch(let found): search = SearchInspection(found)
        case .flags(let flags): self.flags = flags
        case .exists(let number), .recent(let number), .expunge(let number): self.number = number
        case .vanished(let gone): vanished = VanishedInspection(gone)
        case .fetch(let one): fetch = FetchInspection(one, streamed: streamed)
        case .id(let fields): id = fields.map(IDFieldInspection.init)
        case .namespace(let spaces): namespace = NamespaceInspection(spaces)
        case .myRights(let one): rights = RightsInspection(one)
        case .quota(let one): quota = QuotaInspection(one)
        case .quotaRoot(let roots): quotaRoot = QuotaRootInspection(roots)
        case .blank: break
        case .other(let name): keyword = name
        case .unparsable(let lost): unparsable = UnparsableInspection(lost)
        }
    }

    private mutating func fill(_ response: StatusResponse) {
        status = response.status.rawValue
        code = response.code.map(CodeInspection.init)
        text = response.text
    }

}

extension Response {
    /// The word for the kind in documents.
    fileprivate var kind: String {
        switch self {
        case .tagged: "tagged"
        case .continuation: "continuation"
        case .untagged(let untagged): untagged.kind
        }
    }
}

extension Untagged {
    fileprivate var kind: String {
        switch self {
        case .status: "status"
        case .capability: "capability"
        case .enabled: "enabled"
        case .list: "list"
        case .mailboxStatus: "mailbox-status"
        case .search: "search"
        case .esearch: "esearch"
        case .flags: "flags"
        case .exists: "exists"
        case .recent: "recent"
        case .expunge: "expunge"
        case .vanished: "vanished"
        case .fetch: "fetch"
        case .id: "id"
        case .namespace: "namespace"
        case .myRights: "my-rights"
        case .quota: "quota"
        case .quotaRoot: "quota-root"
        case .blank: "blank"
        case .other: "other"
        case .unparsable: "unparsable"
        }
    }
}

/// Why a response was skipped.
public struct UnparsableInspection: Encodable, Sendable {
    public var reason: String
    /// Where in the response's text the reader gave up; literals do not count.
    public var at: Int
    /// What was lost, where that much is known: `FETCH`.
    public var keyword: String?
    public var uid: UInt32?
    /// The text round the fault, at most 200 bytes.
    public var excerpt: String

    init(_ lost: Unparsable) {
        reason = "\(lost.reason)"
        at = lost.offset
        keyword = lost.keyword.isEmpty ? nil : lost.keyword
        uid = lost.uid
        excerpt = words(lost.excerpt)
    }
}

/// A server's octets as a text.
func words(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

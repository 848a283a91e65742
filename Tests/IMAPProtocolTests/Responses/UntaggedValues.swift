import IMAPProtocol

/// Untagged responses as values of ``Response``.
extension Response {
    static let blank = Response.untagged(.blank)

    static func status(_ status: StatusResponse) -> Response { .untagged(.status(status)) }
    static func capability(_ names: Set<Capability>) -> Response { .untagged(.capability(names)) }
    static func enabled(_ names: Set<Capability>) -> Response { .untagged(.enabled(names)) }
    static func list(_ listed: ListResponse) -> Response { .untagged(.list(listed)) }
    static func mailboxStatus(_ status: MailboxStatus) -> Response { .untagged(.mailboxStatus(status)) }
    static func esearch(_ found: ESearchResponse) -> Response { .untagged(.esearch(found)) }
    static func flags(_ flags: [String]) -> Response { .untagged(.flags(flags)) }
    static func exists(_ count: UInt32) -> Response { .untagged(.exists(count)) }
    static func recent(_ count: UInt32) -> Response { .untagged(.recent(count)) }
    static func expunge(_ number: UInt32) -> Response { .untagged(.expunge(number)) }
    static func fetch(_ fetch: FetchResponse) -> Response { .untagged(.fetch(fetch)) }
    static func id(_ fields: [IDField]) -> Response { .untagged(.id(fields)) }
    static func namespace(_ spaces: NamespaceResponse) -> Response { .untagged(.namespace(spaces)) }
    static func quota(_ quota: QuotaResponse) -> Response { .untagged(.quota(quota)) }
    static func other(_ keyword: String) -> Response { .untagged(.other(keyword)) }

    static func quotaRoot(mailbox: [UInt8], roots: [[UInt8]]) -> Response {
        .untagged(.quotaRoot(QuotaRootResponse(mailbox: mailbox, roots: roots)))
    }

    static func search(_ numbers: [UInt32], highestModSeq: UInt64?) -> Response {
        .untagged(.search(SearchResponse(numbers, highestModSeq: highestModSeq)))
    }

    static func vanished(_ uids: UIDSet, isEarlier: Bool) -> Response {
        .untagged(.vanished(VanishedUIDs(uids, isEarlier: isEarlier)))
    }
}

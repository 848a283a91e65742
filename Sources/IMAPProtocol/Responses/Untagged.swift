/// What a server says outside the end of a command, as far as we use it: answers, unsolicited news, and lines that
/// do not parse. RFC 3501 §7.1–7.4.
public enum Untagged: Equatable, Sendable {
    /// OK, NO, BAD, PREAUTH or BYE.
    case status(StatusResponse)
    case capability(Set<Capability>)
    case enabled(Set<Capability>)
    case list(ListResponse)
    case mailboxStatus(MailboxStatus)
    case search(SearchResponse)
    case esearch(ESearchResponse)
    case flags([String])
    case exists(UInt32)
    case recent(UInt32)
    /// By sequence number: we keep no map of those, so it only says that something went.
    case expunge(UInt32)
    case vanished(VanishedUIDs)
    case fetch(FetchResponse)
    case id([IDField])
    case namespace(NamespaceResponse)
    case quota(QuotaResponse)
    case quotaRoot(QuotaRootResponse)
    /// A line with nothing on it.
    case blank
    /// A response that we have no use for, by its keyword in upper case.
    case other(String)
    /// A response that does not parse: counted and skipped, it never ends the session.
    case unparsable(Unparsable)
}

/// An untagged response: an answer, an unrequested report, or a line that cannot be parsed. RFC 3501 §7.1–7.4.
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
    /// A sequence number. opus does not map these to UIDs, so it only learns that a message is gone.
    case expunge(UInt32)
    case vanished(VanishedUIDs)
    case fetch(FetchResponse)
    case id([IDField])
    case namespace(NamespaceResponse)
    case myRights(RightsResponse)
    case quota(QuotaResponse)
    case quotaRoot(QuotaRootResponse)
    /// An empty line.
    case blank
    /// A response that opus does not use, by its keyword in upper case.
    case other(String)
    /// A response that cannot be parsed. It is counted and skipped, and never ends the session.
    case unparsable(Unparsable)
}

/// An item of STATUS. All but the first five require a capability. RFC 9051 §6.3.11.
public enum StatusItem: String, Hashable, CaseIterable, Sendable {
    case messages = "MESSAGES"
    case recent = "RECENT"
    case uidNext = "UIDNEXT"
    case uidValidity = "UIDVALIDITY"
    case unseen = "UNSEEN"
    /// Requires IMAP4rev2.
    case deleted = "DELETED"
    /// Requires CONDSTORE.
    case highestModSeq = "HIGHESTMODSEQ"
    /// Requires STATUS=SIZE. RFC 8438.
    case size = "SIZE"
    /// Requires OBJECTID. RFC 8474 §4.3.
    case mailboxID = "MAILBOXID"
    /// Requires APPENDLIMIT. RFC 7889 §3.
    case appendLimit = "APPENDLIMIT"
}

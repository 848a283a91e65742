/// An item of STATUS; each beyond the first five needs its capability. RFC 9051 §6.3.11.
public enum StatusItem: String, Hashable, CaseIterable, Sendable {
    case messages = "MESSAGES"
    case recent = "RECENT"
    case uidNext = "UIDNEXT"
    case uidValidity = "UIDVALIDITY"
    case unseen = "UNSEEN"
    /// IMAP4rev2.
    case deleted = "DELETED"
    /// CONDSTORE.
    case highestModSeq = "HIGHESTMODSEQ"
    /// STATUS=SIZE. RFC 8438.
    case size = "SIZE"
    /// OBJECTID. RFC 8474 §4.3.
    case mailboxID = "MAILBOXID"
    /// APPENDLIMIT. RFC 7889 §3.
    case appendLimit = "APPENDLIMIT"
}

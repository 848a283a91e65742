/// The numbers that a server assigns to a mailbox. RFC 3501 §2.3.1.1, RFC 7162 §3.1.2.1.
public struct MailboxNumbers: Hashable, Sendable {
    /// 0: the server did not send it.
    public var uidValidity: UInt32
    /// nil: the account is a Maildir, or the server did not send it.
    public var uidNext: UInt32?
    /// nil: the server has no CONDSTORE, or the mailbox does not support it.
    public var highestModSeq: UInt64?

    public init(uidValidity: UInt32, uidNext: UInt32? = nil, highestModSeq: UInt64? = nil) {
        self.uidValidity = uidValidity
        self.uidNext = uidNext
        self.highestModSeq = highestModSeq
    }
}

/// A value that contains the numbers of a mailbox.
public protocol MailboxNumbered {
    var numbers: MailboxNumbers { get set }
}

extension MailboxNumbered {
    public var uidValidity: UInt32 {
        get { numbers.uidValidity }
        set { numbers.uidValidity = newValue }
    }
    public var uidNext: UInt32? {
        get { numbers.uidNext }
        set { numbers.uidNext = newValue }
    }
    public var highestModSeq: UInt64? {
        get { numbers.highestModSeq }
        set { numbers.highestModSeq = newValue }
    }
}

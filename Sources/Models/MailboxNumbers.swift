/// The numbers that a server gives a mailbox. RFC 3501 §2.3.1.1, RFC 7162 §3.1.2.1.
public struct MailboxNumbers: Hashable, Sendable {
    /// 0: the server did not send it.
    public var uidValidity: UInt32
    /// nil in a Maildir, and where the server did not send it.
    public var uidNext: UInt32?
    /// nil without CONDSTORE, and for a mailbox that has none.
    public var highestModSeq: UInt64?

    public init(uidValidity: UInt32, uidNext: UInt32? = nil, highestModSeq: UInt64? = nil) {
        self.uidValidity = uidValidity
        self.uidNext = uidNext
        self.highestModSeq = highestModSeq
    }
}

/// A value that has the numbers of a mailbox beside other things.
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

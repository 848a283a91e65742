// The numbers of one mailbox on both sides: what the store knows, and what the server says.

public import Models

/// How far a server tells by itself what changed since we last looked. RFC 7162.
public enum ChangeTracking: Hashable, CaseIterable, Sendable {
    /// Neither: everything is compared.
    case none
    /// HIGHESTMODSEQ, and `FETCH … (CHANGEDSINCE …)` for flags; not what went.
    case condstore
    /// SELECT brings flags and VANISHED since then.
    case qresync
}

/// The stored state of a mailbox.
public struct LocalMailbox: Hashable, Sendable {
    /// nil: never synchronised.
    public var uidValidity: UInt32?
    /// UIDNEXT of the last sync that came to its end; 1 while there was none.
    public var uidNext: UInt32
    /// The number from the server, if it was not above all UIDs; nil: the server sent ``uidNext``.
    public var reportedUIDNext: UInt32?
    /// nil also when the last sync left something out.
    public var highestModSeq: UInt64?
    /// Messages that we hold.
    public var count: Int
    /// Messages that the server has and we left there, because they are older than the window of the sync.
    public var beyond: Int

    public init(
        uidValidity: UInt32?, uidNext: UInt32 = 1, highestModSeq: UInt64? = nil, count: Int = 0,
        beyond: Int = 0
    ) {
        self.uidValidity = uidValidity
        self.uidNext = uidNext
        self.highestModSeq = highestModSeq
        self.count = count
        self.beyond = beyond
    }

    /// Messages that the server has if nothing changed.
    public var expected: Int { count + beyond }
}

/// The state that STATUS or SELECT reported.
public struct ServerMailbox: Hashable, Sendable, MailboxNumbered {
    public var numbers: MailboxNumbers
    public var exists: Int
    /// How it was opened: `.qresync` when SELECT reported the changes itself.
    public var tracking: ChangeTracking

    public init(
        uidValidity: UInt32, uidNext: UInt32? = nil, highestModSeq: UInt64? = nil, exists: Int,
        tracking: ChangeTracking = .none
    ) {
        numbers = MailboxNumbers(uidValidity: uidValidity, uidNext: uidNext, highestModSeq: highestModSeq)
        self.exists = exists
        self.tracking = tracking
    }
}

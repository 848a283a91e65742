// The numbers of one mailbox on both sides: the stored ones, and those that the server reports.

public import Models

/// How far a server itself reports the changes since the last sync. RFC 7162.
public enum ChangeTracking: Hashable, CaseIterable, Sendable {
    /// The server has neither extension: everything is compared.
    case none
    /// HIGHESTMODSEQ, and `FETCH … (CHANGEDSINCE …)` for flags; removals are not reported.
    case condstore
    /// SELECT reports changed flags and VANISHED.
    case qresync
}

/// The stored state of a mailbox.
public struct LocalMailbox: Hashable, Sendable {
    /// nil: the mailbox was never synchronised.
    public var uidValidity: UInt32?
    /// UIDNEXT of the last complete sync; 1 before the first one.
    public var uidNext: UInt32
    /// The number from the server, if it was not above all UIDs; nil: the server sent ``uidNext``.
    public var reportedUIDNext: UInt32?
    /// Also nil if the last sync left something out.
    public var highestModSeq: UInt64?
    /// The number of stored messages.
    public var count: Int
    /// The number of messages that stay on the server because they are older than the window of the sync.
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

    /// The number of messages on the server if nothing has changed.
    public var expected: Int { count + beyond }
}

/// The state reported by STATUS or SELECT.
public struct ServerMailbox: Hashable, Sendable, MailboxNumbered {
    public var numbers: MailboxNumbers
    public var exists: Int
    /// How the mailbox was opened: `.qresync` if SELECT itself reported the changes.
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

/// What a sync has to do in one mailbox: what we have × what the server says, in one table.
///
/// The trap: only CONDSTORE's HIGHESTMODSEQ proves that nothing changed. Without it, flags may have changed
/// and messages may have gone while EXISTS and UIDNEXT stand still, so everything is compared.
/// RFC 9051 §2.3.1.1 (UIDVALIDITY, UIDNEXT), RFC 7162 §3.1.2 (HIGHESTMODSEQ).

/// What the store knows of a mailbox.
public struct LocalMailbox: Hashable, Sendable {
    /// nil: never synchronised.
    public var uidValidity: UInt32?
    /// UIDNEXT of the last sync that came to its end; 1 while there was none.
    public var uidNext: UInt32
    public var highestModSeq: UInt64?
    /// Ascending.
    public var uids: [UInt32]

    public init(uidValidity: UInt32?, uidNext: UInt32 = 1, highestModSeq: UInt64? = nil, uids: [UInt32] = [])
    {
        self.uidValidity = uidValidity
        self.uidNext = uidNext
        self.highestModSeq = highestModSeq
        self.uids = uids
    }
}

/// What SELECT said about it.
public struct ServerMailbox: Hashable, Sendable {
    public var uidValidity: UInt32
    /// Some servers do not say.
    public var uidNext: UInt32?
    /// nil without CONDSTORE, or for a mailbox that has none.
    public var highestModSeq: UInt64?
    public var exists: Int

    public init(uidValidity: UInt32, uidNext: UInt32? = nil, highestModSeq: UInt64? = nil, exists: Int) {
        self.uidValidity = uidValidity
        self.uidNext = uidNext
        self.highestModSeq = highestModSeq
        self.exists = exists
    }
}

public enum SyncStep: Hashable, Sendable {
    /// Proven to be as we know it.
    case nothing
    /// Fetch every message from that UID on. Nothing older is known, so nothing can have changed.
    case fetchNew(from: UInt32)
    /// Fetch UID and FLAGS of everything: finds new messages, changed marks and vanished messages.
    case compareAll
    /// UIDVALIDITY changed: drop the placements, fetch all headers, bind them to known messages.
    case rebind
    /// Read it, but never change anything in it by UID. Another step follows.
    case readOnlyMailbox(reason: ReadOnlyReason)
}

public enum ReadOnlyReason: Hashable, Sendable, CustomStringConvertible {
    /// UIDVALIDITY is 0: a UID may mean another message at any time.
    case noUIDValidity

    public var description: String {
        switch self {
        case .noUIDValidity: "the server gives it no UIDVALIDITY"
        }
    }
}

public enum SyncTable {
    /// The steps, in order; never empty.
    ///
    /// `compareDue`: the last full comparison is long ago, or an answer could not be read, so HIGHESTMODSEQ
    /// is not trusted this time.
    public static func steps(
        local: LocalMailbox, server: ServerMailbox, compareDue: Bool = false
    ) -> [SyncStep] {
        let step = row(local: local, server: server, compareDue: compareDue)
        return server.uidValidity == 0 ? [.readOnlyMailbox(reason: .noUIDValidity), step] : [step]
    }

    private static func row(local: LocalMailbox, server: ServerMailbox, compareDue: Bool) -> SyncStep {
        let isOurs = local.uidValidity == nil || local.uidValidity == server.uidValidity
        let isEmptyHere = local.uids.isEmpty
        let isEmptyThere = server.exists == 0
        let isProven = !compareDue && isUnchanged(local: local, server: server)

        return switch (isOurs, isEmptyHere, isEmptyThere, isProven) {
        case (false, _, _, _): .rebind
        case (true, true, true, _): .nothing
        case (true, true, false, _): .fetchNew(from: 1)
        case (true, false, _, true): .nothing
        case (true, false, _, false): .compareAll
        }
    }

    /// Only when every number that both sides have agrees, and HIGHESTMODSEQ is one of them.
    private static func isUnchanged(local: LocalMailbox, server: ServerMailbox) -> Bool {
        guard let seen = local.highestModSeq, let now = server.highestModSeq, seen == now, now > 0 else {
            return false
        }
        guard local.uidValidity == server.uidValidity, server.exists == local.uids.count else { return false }
        return server.uidNext == nil || server.uidNext == local.uidNext
    }
}

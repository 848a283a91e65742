// The steps of a sync in one mailbox, by the stored state and the state that the server reports.
//
// The trap: only the HIGHESTMODSEQ of CONDSTORE proves that nothing has changed. Without it, flags may have
// changed and messages may have been removed while EXISTS and UIDNEXT are the same, so everything is
// compared. Numbers that contradict each other prove nothing either. A number that decreases means that UIDs
// may now belong to other messages. RFC 9051 §2.3.1.1 (UIDVALIDITY, UIDNEXT), RFC 7162 §3.1.2
// (HIGHESTMODSEQ), §3.2.5 (QRESYNC).

public import Models

/// How a mailbox is opened.
public enum Opening: Hashable, Sendable {
    /// The mailbox is not opened: STATUS proves that it has not changed.
    case skip
    /// `SELECT (QRESYNC (…))` with the stored state; new mail is requested separately.
    case resynchronize(uidValidity: UInt32, modSeq: UInt64, below: UInt32)
    /// `SELECT`, with CONDSTORE if the server supports it.
    case whole
}

public enum SyncStep: Hashable, Sendable {
    /// The mailbox is proven to be unchanged.
    case nothing
    /// Nothing is stored yet: fetch everything.
    case fetchAll
    /// Apply the VANISHED and the FLAGS that SELECT reported.
    case applyReported
    /// Request the FLAGS that changed after `since`, of the messages below that UID.
    case fetchChanges(since: UInt64, below: UInt32)
    /// List the messages from that UID on.
    case fetchNew(from: UInt32)
    /// Check that the number of stored messages equals that of the server; otherwise compare the sets of
    /// UIDs. The last step of an incremental sync: it stores the new HIGHESTMODSEQ together with the changes.
    case checkCount
    /// Request the FLAGS of all messages: finds new messages, changed marks and removed messages.
    case compareAll
    /// UIDVALIDITY changed, or a number decreased that may only grow: remove the placements, fetch all
    /// headers, and match them with known messages.
    case rebind
    /// Read the mailbox, but never change anything in it by UID. Another step follows.
    case readOnlyMailbox(reason: ReadOnlyReason)
}

public enum ReadOnlyReason: Hashable, Sendable, CustomStringConvertible {
    /// UIDVALIDITY is 0: a UID may belong to another message at any time.
    case noUIDValidity

    public var description: String {
        switch self {
        case .noUIDValidity: "the server gives it no UIDVALIDITY"
        }
    }
}

public enum SyncTable {
    /// However reliably a server reports its changes, everything is compared at this interval. In seconds.
    public static let compareInterval: Int64 = 24 * 3_600

    /// Whether a full comparison is due; `comparedAt` is nil if there was none, or if the last sync was
    /// incomplete. It is also due if older mail than before is wanted.
    public static func isCompareDue(
        comparedAt: Timestamp?, now: Timestamp, isWindowWider: Bool = false
    ) -> Bool {
        guard let comparedAt, !isWindowWider else { return true }
        // If the clock was set back, a comparison is due.
        return comparedAt > now || now.seconds - comparedAt.seconds >= compareInterval
    }

    /// How to open the mailbox.
    ///
    /// `status`: the numbers from STATUS, if it was used. `compareDue`: a full comparison is due, or a
    /// response could not be read, so HIGHESTMODSEQ is not used this time.
    public static func opening(
        local: LocalMailbox, status: ServerMailbox?, tracking: ChangeTracking, compareDue: Bool = false
    ) -> Opening {
        guard let validity = local.uidValidity, validity > 0 else { return .whole }
        if let status {
            guard status.uidValidity == validity else { return .whole }
            switch evidence(local: local, server: status, compareDue: compareDue) {
            case .unchanged: return .skip
            case .changed: break
            case .none: return isEmpty(local, status) ? .skip : .whole
            }
        }
        guard tracking == .qresync, !compareDue, local.expected > 0, status?.exists != 0, local.uidNext > 1,
            let modSeq = local.highestModSeq, modSeq > 0
        else { return .whole }
        return .resynchronize(uidValidity: validity, modSeq: modSeq, below: local.uidNext)
    }

    /// The steps in an open mailbox, in order; never empty.
    public static func steps(
        local: LocalMailbox, server: ServerMailbox, compareDue: Bool = false
    ) -> [SyncStep] {
        let steps = row(local: local, server: server, compareDue: compareDue)
        return server.uidValidity == 0 ? [.readOnlyMailbox(reason: .noUIDValidity)] + steps : steps
    }

    private static func row(local: LocalMailbox, server: ServerMailbox, compareDue: Bool) -> [SyncStep] {
        let isOurs = local.uidValidity == nil || local.uidValidity == server.uidValidity
        let isRestored = hasGoneBack(local: local, server: server)
        let isEmptyHere = local.expected == 0
        let isEmptyThere = server.exists == 0
        let evidence = evidence(local: local, server: server, compareDue: compareDue)
        let new = fetchNew(local: local, server: server)
        let below = local.uidNext

        if isOurs, isRestored, !isEmptyHere, !isEmptyThere { return [.rebind] }
        return switch (isOurs, isEmptyHere, isEmptyThere, evidence, server.tracking) {
        case (false, _, _, _, _): [.rebind]
        case (true, true, true, _, _): [.nothing]
        case (true, true, false, _, _): [.fetchAll]
        case (true, false, _, .unchanged, _): [.nothing]
        case (true, false, true, _, _): [.compareAll]
        case (true, false, false, .changed, .qresync): [.applyReported] + new + [.checkCount]
        case (true, false, false, .changed(let modSeq), .condstore):
            [.fetchChanges(since: modSeq, below: below)] + new + [.checkCount]
        case (true, false, false, .changed, .none), (true, false, false, .none, _): [.compareAll]
        }
    }

    /// Whether a number decreased that may only grow: then the mailbox was restored from a backup, and its
    /// UIDs may belong to other messages now. RFC 9051 §2.3.1.1, RFC 7162 §3.1.2.
    private static func hasGoneBack(local: LocalMailbox, server: ServerMailbox) -> Bool {
        if let next = server.uidNext, next < local.reportedUIDNext ?? local.uidNext { return true }
        if let seen = local.highestModSeq, let now = server.highestModSeq, now > 0, now < seen { return true }
        return false
    }

    /// An unchanged UIDNEXT makes the request unnecessary.
    private static func fetchNew(local: LocalMailbox, server: ServerMailbox) -> [SyncStep] {
        server.uidNext == local.uidNext ? [] : [.fetchNew(from: local.uidNext)]
    }

    private static func isEmpty(_ local: LocalMailbox, _ server: ServerMailbox) -> Bool {
        local.expected == 0 && server.exists == 0
            && (server.uidNext == nil || server.uidNext == local.uidNext)
    }
}

// MARK: - What HIGHESTMODSEQ proves

extension SyncTable {
    private enum Evidence {
        /// All numbers that both sides have are equal, and HIGHESTMODSEQ is one of them.
        case unchanged
        /// The server can report what changed after that.
        case changed(since: UInt64)
        case none
    }

    private static func evidence(
        local: LocalMailbox, server: ServerMailbox, compareDue: Bool
    ) -> Evidence {
        guard !compareDue, local.uidValidity == server.uidValidity,
            let seen = local.highestModSeq, let now = server.highestModSeq, seen > 0, now >= seen
        else { return .none }
        if let next = server.uidNext, next < local.uidNext { return .none }
        guard now == seen else { return .changed(since: seen) }
        let agrees = server.exists == local.expected && (server.uidNext ?? local.uidNext) == local.uidNext
        return agrees ? .unchanged : .none
    }
}

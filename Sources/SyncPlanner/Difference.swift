// Compares two lists of one mailbox: the stored one and the server's.
//
// A server's list is not trusted: UID 0 is skipped because it is invalid, the last entry of a repeated UID
// counts, and the order does not matter.

public import Models

/// All lists are sorted by UID.
public struct Difference: Hashable, Sendable {
    public var new: [UInt32]
    /// With the current marks on the server.
    public var changed: [MessageMarks]
    public var vanished: [UInt32]

    public init(new: [UInt32] = [], changed: [MessageMarks] = [], vanished: [UInt32] = []) {
        self.new = new
        self.changed = changed
        self.vanished = vanished
    }

    public var isEmpty: Bool { new.isEmpty && changed.isEmpty && vanished.isEmpty }

}

extension SyncTable {
    /// The deletion guard: whether more messages vanished than a user normally deletes between two syncs,
    /// more than 50 and more than one in twenty. Then a second response, the list of all UIDs, decides.
    public static func looksImpossible(vanished: Int, known: Int) -> Bool {
        vanished > max(50, known / 20)
    }

    /// Whether a list of all UIDs is complete, so that missing UIDs count as removed: it must not be shorter
    /// than the mailbox.
    public static func isWhole(uids: Int, exists: Int) -> Bool { uids >= exists }

    /// The UIDs to request. An open range ends at the last UID that the mailbox can contain, because some
    /// servers try every number of the range; nil: the range contains no possible UID.
    ///
    /// `uidNext`: as the server sent it when the mailbox was opened; nil if it did not.
    public static func asked(
        _ uids: ClosedRange<UInt32>, uidNext: UInt32?
    ) -> ClosedRange<UInt32>? {
        guard uids.upperBound == .max, let uidNext, uidNext > 0 else { return uids }
        return uidNext > uids.lowerBound ? uids.lowerBound...(uidNext - 1) : nil
    }

    public static func difference(local: [MessageMarks], server: [MessageMarks]) -> Difference {
        var here: [UInt32: MessageMarks] = [:]
        here.reserveCapacity(local.count)
        for placement in local { here[placement.uid] = placement }
        var there: [UInt32: MessageMarks] = [:]
        there.reserveCapacity(server.count)
        for placement in server where placement.uid != 0 { there[placement.uid] = placement }

        var difference = Difference()
        for (uid, placement) in there {
            guard let known = here[uid] else {
                difference.new.append(uid)
                continue
            }
            if known.flags != placement.flags || known.keywords != placement.keywords {
                difference.changed.append(placement)
            }
        }
        difference.vanished = here.keys.filter { there[$0] == nil }.sorted()
        difference.new.sort()
        difference.changed.sort { $0.uid < $1.uid }
        return difference
    }
}

// Two lists of one mailbox, ours and the server's, and how they differ.
//
// A server's list is not trusted: UID 0 is not a UID and is skipped, of a repeated UID the last entry
// counts, and the order does not matter.

public import Models

/// Every list is ascending by UID.
public struct Difference: Hashable, Sendable {
    public var new: [UInt32]
    /// With the marks that the server has.
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
    /// The deletion guard: whether more vanished than people delete between two looks, more than 50 messages and
    /// more than one in twenty. Then a second answer decides, the list of all UIDs.
    public static func looksImpossible(vanished: Int, known: Int) -> Bool {
        vanished > max(50, known / 20)
    }

    /// Whether a list of all UIDs can be believed against what it does not name: it must not be shorter than
    /// the mailbox.
    public static func isWhole(uids: Int, exists: Int) -> Bool { uids >= exists }

    /// The UIDs to ask for. A range without an end stops at the last UID that the mailbox can hold, since some
    /// servers go through every number of it; nil: it holds none of them.
    ///
    /// `uidNext`: as the server sent it when the mailbox was opened; nil where it did not.
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

import MailStore
import Models
import SyncPlanner

/// Lists the messages of a mailbox on the server.
struct MailboxLister: MailboxPart {
    let context: MailboxContext

    static let allUIDs: ClosedRange<UInt32> = 1...UInt32.max

    /// Sends no request for an empty mailbox: some servers reject an empty range.
    func listing(
        _ server: SourceMailbox, _ uids: ClosedRange<UInt32>, _ detail: ListingDetail = .everything
    ) async throws -> MessageListing {
        guard server.exists > 0, let asked = SyncTable.asked(uids, uidNext: server.uidNext) else {
            return MessageListing([])
        }
        let doubtful = DoubtfulMessages(context, server)
        var listed = try await listing(asked, detail, doubtful)
        if asked != uids, uids == Self.allUIDs, listed.messages.count < server.exists {
            try await addBeyond(asked.upperBound, detail, doubtful, &listed)
        }
        return listed
    }

    /// Adds messages with UIDs above the server's own UIDNEXT: if the listing lacks messages, opus requests
    /// the UIDs from the list of all UIDs.
    private func addBeyond(
        _ last: UInt32, _ detail: ListingDetail, _ doubtful: DoubtfulMessages,
        _ listed: inout MessageListing
    ) async throws {
        guard let all = try await source.uids(of: mailbox) else { return }
        let rest = all.uids.filter { $0 > last }
        guard let first = rest.min(), let end = rest.max() else { return }
        let more = try await listing(first...end, detail, doubtful)
        listed.messages += more.messages
        listed.isComplete = listed.isComplete && more.isComplete
    }

    /// Lists the range in one request. If the server could not list some messages before, those are requested
    /// separately, and last.
    func listing(
        _ uids: ClosedRange<UInt32>, _ detail: ListingDetail, _ doubtful: DoubtfulMessages
    ) async throws -> MessageListing {
        guard try doubtful.groups([], .listing) != nil, let all = try await source.uids(of: mailbox) else {
            return try await doubtful.watching(.listing) {
                try await source.listing(of: mailbox, uids: uids, detail: detail)
            }
        }
        let there = all.uids.filter(uids.contains).sorted()
        guard let groups = try doubtful.groups(there, .listing) else { return MessageListing([]) }
        var listed = MessageListing([], isComplete: all.isComplete && groups.leftOut.isEmpty)
        let parts = [(groups.ordinary, false)] + groups.probes.map { ($0, true) }
        for (wanted, isProbe) in parts {
            for piece in Self.pieces(there, of: Set(wanted)) {
                let part = try await doubtful.watching(.listing, isProbe: isProbe) {
                    try await source.listing(of: mailbox, uids: piece, detail: detail)
                }
                listed.messages += part.messages
                listed.isComplete = listed.isComplete && part.isComplete
            }
        }
        listed.messages.sort { $0.uid < $1.uid }
        try doubtful.settle(listed.messages.map(\.uid), missing: [], .listing)
        try doubtful.endSuspicion(there, .listing)
        context.sync.losses.leaveOut(groups.leftOut, of: mailbox.name)
        return listed
    }

    /// Ranges that contain the wanted UIDs, and none of the other existing ones.
    private static func pieces(_ there: [UInt32], of wanted: Set<UInt32>) -> [ClosedRange<UInt32>] {
        var pieces: [ClosedRange<UInt32>] = []
        var isOpen = false
        for uid in there {
            defer { isOpen = wanted.contains(uid) }
            guard wanted.contains(uid) else { continue }
            if isOpen, let last = pieces.popLast() {
                pieces.append(last.lowerBound...uid)
            } else {
                pieces.append(uid...uid)
            }
        }
        return pieces
    }
}

import MailStore
import Models
import SyncPlanner

/// Lists the messages of a mailbox on the server.
struct MailboxLister: MailboxPart {
    let context: MailboxContext

    static let allUIDs: ClosedRange<UInt32> = 1...UInt32.max

    /// More requests than this for single messages cost more than one for all.
    private static let mostPieces = 50

    /// Sends no request for an empty mailbox: some servers reject an empty range. If the listing lacks messages, opus
    /// requests them by the list of all UIDs.
    ///
    /// `named`: the UIDs of the range in the list of all UIDs, if that was requested already.
    func listing(
        _ server: SourceMailbox, _ uids: ClosedRange<UInt32>, _ detail: ListingDetail = .everything,
        named: [UInt32]? = nil
    ) async throws -> MessageListing {
        guard server.exists > 0 else { return MessageListing([]) }
        let doubtful = DoubtfulMessages(context, server)
        var listed = MessageListing([])
        if let asked = SyncTable.asked(uids, uidNext: server.uidNext) {
            listed = try await listing(asked, detail, doubtful)
        }
        let expected = named?.count ?? (uids == Self.allUIDs ? server.exists : 0)
        guard listed.messages.count < expected else { return listed }
        var there = named
        if there == nil { there = try await source.uids(of: mailbox)?.uids }
        if let there { try await add(Set(there), detail, doubtful, &listed) }
        return listed
    }

    /// Adds the messages that the list of all UIDs contains and the listing lacks: the server left them out, or their UIDs
    /// are above its own UIDNEXT.
    private func add(
        _ there: Set<UInt32>, _ detail: ListingDetail, _ doubtful: DoubtfulMessages,
        _ listed: inout MessageListing
    ) async throws {
        // Messages in doubt were requested separately, or left out and reported.
        let doubts = try doubtful.all().filter { $0.stage == .listing }
        let missing = there.subtracting(listed.messages.map(\.uid))
            .filter { uid in uid > 0 && !doubts.contains { $0.uids.contains(uid) } }
        guard let first = missing.min(), let last = missing.max() else { return }
        var pieces = Self.pieces(there.sorted(), of: missing)
        if pieces.count > Self.mostPieces { pieces = [first...last] }
        for piece in pieces {
            let more = try await listing(piece, detail, doubtful)
            listed.messages += more.messages.filter { missing.contains($0.uid) }
            listed.isComplete = listed.isComplete && more.isComplete
        }
        listed.messages.sort { $0.uid < $1.uid }
        listed.unlisted = missing.subtracting(listed.messages.map(\.uid)).sorted()
        if !listed.unlisted.isEmpty { listed.isComplete = false }
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

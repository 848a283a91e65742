import MailStore
import Models
import Threading

/// Assigns ids and threads to parsed messages, and converts them to rows of the store.
///
/// They depend on the content of the store, so the batches of an account are processed one after the other.
struct MessageIntake: Sendable {
    let account: AccountID
    let store: Store
    let turn: IntakeTurn
    /// nil: signatures are not checked.
    var signatures: SignatureCheck?

    /// Stores messages of one mailbox.
    func store(
        _ messages: [Arrival], in mailbox: MailboxName, uidValidity: UInt32, knownOnly: Bool
    ) async throws -> SyncOutcome {
        try await turn.take {
            try store.sync.apply(
                batch(of: messages, mailbox: mailbox, uidValidity: uidValidity, knownOnly: knownOnly))
        }
    }

    /// Converts messages of one mailbox to a batch for the store. Writes nothing.
    ///
    /// `knownOnly`: only headers were read; messages that are new in the account are left out.
    func batch(
        of messages: [Arrival], mailbox: MailboxName, uidValidity: UInt32, knownOnly: Bool = false
    ) throws -> SyncBatch {
        var batch = SyncBatch(account: account, mailbox: mailbox, uidValidity: uidValidity)
        var known = try store.messages.contents(withHeaders: messages.map(\.headerDigest), account: account)
        var fresh: [(arrival: Arrival, id: EmailID)] = []
        var taken: [EmailID: String] = [:]
        for arrival in messages {
            let alike = known[arrival.headerDigest] ?? []
            if let match = arrival.match(among: alike) {
                batch.placed.append(arrival.placement(of: match.id))
                if match.body == nil, let body = arrival.body { batch.learned[match.id] = body }
                continue
            }
            if knownOnly { continue }
            let id = try freeID(for: arrival, taken: taken)
            known[arrival.headerDigest] = alike + [arrival.content(of: id)]
            taken[id] = arrival.fingerprint
            fresh.append((arrival, id))
        }
        try thread(fresh, into: &batch)
        return batch
    }

    /// The id from the Message-ID or the header; if another message has that id, the id from header and body.
    private func freeID(for arrival: Arrival, taken: [EmailID: String]) throws -> EmailID {
        let earlier = try store.sync.earlierID(
            fingerprint: arrival.fingerprint, header: arrival.headerDigest, body: arrival.body,
            account: account)
        if let earlier, taken[earlier] == nil { return earlier }
        let first = arrival.usualID
        let holder = try taken[first] ?? store.sync.holder(of: first)
        return holder == nil || holder == arrival.fingerprint ? first : arrival.idByFingerprint
    }

    private func thread(_ fresh: [(arrival: Arrival, id: EmailID)], into batch: inout SyncBatch) throws {
        guard !fresh.isEmpty else { return }
        let inputs = fresh.map { $0.arrival.threadInput(id: $0.id) }
        let links = inputs.map(Threader.ids(of:))
        let existing = try store.sync.threads(forIDs: Array(Set(links.joined())), account: account)
        let assignment = Threader.assign(inputs, existing: existing)
        batch.threadMerges = assignment.merges.map { ThreadMerge(from: $0.from, into: $0.into) }
        // Messages of a long conversation refer to the same messages repeatedly: each link is written once.
        var written = existing
        for ((arrival, id), links) in zip(fresh, links) {
            let thread = assignment.threads[id] ?? ThreadID(rawValue: id.rawValue)
            let new = links.filter { written.updateValue(thread, forKey: $0) != thread }
            batch.added.append(arrival.row(id: id, thread: thread, links: new))
        }
    }
}

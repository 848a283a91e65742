import Crypto
import MIMEParser
import MailStore
import Models
import Threading

/// Turns the bytes of messages into rows for the store: parsed, identified and threaded.
struct MessageIntake: Sendable {
    let account: AccountID
    let store: MailStore

    /// Characters of readable text that are kept and indexed.
    static let textLimit = 512 * 1_024

    /// Messages of one mailbox as one batch of the store. Nothing is written here.
    ///
    /// `knownOnly`: the messages are headers; those that no mailbox has shown before are left out.
    func batch(
        of messages: [RawMessage], mailbox: MailboxName, uidValidity: UInt32, knownOnly: Bool = false
    ) throws -> SyncBatch {
        var batch = SyncBatch(account: account, mailbox: mailbox, uidValidity: uidValidity)
        let parsed = messages.map { raw in Arrival(raw: raw, account: account) }
        let known = try store.emailIDs(forFingerprints: parsed.map(\.fingerprint), account: account)
        var arrivals: [String: EmailID] = known
        var fresh: [(arrival: Arrival, id: EmailID)] = []
        var taken: [EmailID: String] = [:]
        for arrival in parsed {
            if let id = arrivals[arrival.fingerprint] {
                batch.placed.append(arrival.placement(of: id))
                continue
            }
            if knownOnly { continue }
            let id = try freeID(for: arrival, taken: taken)
            arrivals[arrival.fingerprint] = id
            taken[id] = arrival.fingerprint
            fresh.append((arrival, id))
        }
        try thread(fresh, into: &batch)
        return batch
    }

    /// The id from the Message-ID, or from the whole header where another message already has that one.
    private func freeID(for arrival: Arrival, taken: [EmailID: String]) throws -> EmailID {
        guard let first = arrival.idByMessageID else { return arrival.idByFingerprint }
        let holder = try taken[first] ?? store.holder(of: first)
        return holder == nil || holder == arrival.fingerprint ? first : arrival.idByFingerprint
    }

    private func thread(_ fresh: [(arrival: Arrival, id: EmailID)], into batch: inout SyncBatch) throws {
        guard !fresh.isEmpty else { return }
        let inputs = fresh.map { $0.arrival.threadInput(id: $0.id) }
        let wanted = Set(inputs.flatMap(Threader.ids(of:)))
        let assignment = Threader.assign(
            inputs, existing: try store.threads(forIDs: Array(wanted), account: account))
        batch.threadMerges = assignment.merges.map { ThreadMerge(from: $0.from, into: $0.into) }
        for (input, (arrival, id)) in zip(inputs, fresh) {
            let thread = assignment.threads[id] ?? ThreadID(rawValue: id.rawValue)
            batch.added.append(arrival.row(id: id, thread: thread, links: Threader.ids(of: input)))
        }
    }
}

/// One parsed message on its way into the store.
private struct Arrival {
    let raw: RawMessage
    let message: ParsedMessage
    let envelope: Envelope
    let fingerprint: String
    let account: AccountID

    init(raw: RawMessage, account: AccountID) {
        self.raw = raw
        self.account = account
        message = MIMEParser.parse(raw.bytes)
        envelope = message.envelope
        fingerprint = EmailIdentity.fingerprint(headerBlock: message.canonicalHeaderBlock)
    }

    var idByMessageID: EmailID? {
        envelope.messageID.map { EmailIdentity.id(account: account, messageID: $0) }
    }

    var idByFingerprint: EmailID { EmailIdentity.id(account: account, fingerprint: fingerprint) }

    func threadInput(id: EmailID) -> ThreadInput {
        ThreadInput(
            message: id, messageID: envelope.messageID, inReplyTo: envelope.inReplyTo,
            references: envelope.references)
    }

    func placement(of id: EmailID) -> Placement {
        Placement(
            message: id, uid: raw.listed.uid, flags: raw.listed.flags, keywords: raw.listed.keywords,
            remoteName: raw.listed.remoteName)
    }

    func row(id: EmailID, thread: ThreadID, links: [MessageID]) -> NewMessage {
        let text = message.text()
        var row = NewMessage(
            uid: raw.listed.uid, id: id, fingerprint: fingerprint, thread: thread,
            received: raw.listed.received ?? envelope.date ?? Timestamp(seconds: 0),
            size: raw.listed.size ?? raw.bytes.count)
        row.subject = envelope.subject
        row.from = envelope.from
        row.sender = envelope.sender
        row.replyTo = envelope.replyTo
        row.to = envelope.to
        row.cc = envelope.cc
        row.bcc = envelope.bcc
        row.messageID = envelope.messageID
        row.sent = envelope.date
        row.headerBlock = Array(message.headerBlock)
        row.text =
            text.utf8.count > MessageIntake.textLimit ? String(text.prefix(MessageIntake.textLimit)) : text
        row.attachments = message.attachments
        row.isTruncated = raw.isTruncated
        row.exceededLimits = message.exceededLimits
        row.flags = raw.listed.flags
        row.keywords = raw.listed.keywords
        row.remoteName = raw.listed.remoteName
        row.references = links
        return row
    }
}

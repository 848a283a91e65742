import Crypto
import MIMEParser
import MailStore
import Models
import Threading

/// One message that was read and parsed: everything the store wants of it but its id and its thread, which depend on
/// what the store holds.
struct Arrival: Sendable {
    let fingerprint: String
    let idByMessageID: EmailID?
    let idByFingerprint: EmailID
    private let messageID: MessageID?
    private let inReplyTo: [MessageID]
    private let references: [MessageID]
    private let unnamed: NewMessage

    /// `signatures`: nil where nobody looks at them.
    init(raw: RawMessage, account: AccountID, signatures: SignatureCheck? = nil) {
        let message = MIMEParser.parse(raw.bytes)
        let envelope = message.envelope
        let fingerprint = EmailIdentity.fingerprint(headerBlock: message.canonicalHeaderBlock)
        self.fingerprint = fingerprint
        idByMessageID = envelope.messageID.map { EmailIdentity.id(account: account, messageID: $0) }
        idByFingerprint = EmailIdentity.id(account: account, fingerprint: fingerprint)
        messageID = envelope.messageID
        inReplyTo = envelope.inReplyTo
        references = envelope.references
        var row = NewMessage(
            uid: raw.listed.uid, id: idByFingerprint, fingerprint: fingerprint,
            thread: ThreadID(rawValue: idByFingerprint.rawValue),
            received: raw.listed.received ?? envelope.date ?? Timestamp(seconds: 0),
            size: raw.listed.size ?? raw.bytes.count)
        row.take(envelope)
        row.take(message, omitted: raw.omitted)
        row.take(raw.listed)
        row.isTruncated = raw.isTruncated
        row.signature = signatures?.verdict(of: message, raw)
        unnamed = row
    }

    /// What it holds in memory, nearly.
    var bytes: Int { unnamed.headerBlock.count + unnamed.text.utf8.count + 1_024 }

    func threadInput(id: EmailID) -> ThreadInput {
        ThreadInput(message: id, messageID: messageID, inReplyTo: inReplyTo, references: references)
    }

    func placement(of id: EmailID) -> Placement {
        Placement(
            message: id, uid: unnamed.uid, flags: unnamed.flags, keywords: unnamed.keywords,
            remoteName: unnamed.remoteName, remoteID: unnamed.remoteID)
    }

    func row(id: EmailID, thread: ThreadID, links: [MessageID]) -> NewMessage {
        var row = unnamed
        row.id = id
        row.thread = thread
        row.references = links
        return row
    }
}

extension NewMessage {
    /// Characters of readable text that are kept and indexed.
    private static let textLimit = 512 * 1_024

    fileprivate mutating func take(_ envelope: Envelope) {
        subject = envelope.subject
        from = envelope.from
        sender = envelope.sender
        replyTo = envelope.replyTo
        to = envelope.to
        cc = envelope.cc
        bcc = envelope.bcc
        messageID = envelope.messageID
        sent = envelope.date
    }

    fileprivate mutating func take(_ message: ParsedMessage, omitted: [String: Int]) {
        headerBlock = Array(message.headerBlock)
        let whole = message.text()
        text = whole.utf8.count > Self.textLimit ? String(whole.prefix(Self.textLimit)) : whole
        attachments = message.attachments
        for index in attachments.indices {
            attachments[index].size = omitted[attachments[index].section] ?? attachments[index].size
        }
        exceededLimits = message.exceededLimits
    }

    fileprivate mutating func take(_ listed: ListedMessage) {
        flags = listed.flags
        keywords = listed.keywords
        remoteName = listed.remoteName
        remoteID = listed.remoteID
    }
}

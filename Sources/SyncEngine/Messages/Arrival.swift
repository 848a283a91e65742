import Crypto
import MIMEParser
import MailStore
import Models
import Threading
import TodoCalendar

/// One message that was read and parsed: all data for the store except its id and its thread, which depend on
/// the content of the store.
struct Arrival: Sendable {
    let fingerprint: String
    let headerDigest: String
    /// nil: only the header was read.
    let body: BodyDigest?
    /// Whether no other message is expected to have the same header.
    private let headerIdentifies: Bool
    /// From the Message-ID, or from the header if there is none. The message gets this id unless another
    /// message has it.
    let usualID: EmailID
    let idByFingerprint: EmailID
    private let messageID: MessageID?
    private let inReplyTo: [MessageID]
    private let references: [MessageID]
    private let unnamed: NewMessage

    /// `signatures` is nil if they are not checked. `isHeader`: only the header was read.
    init(
        raw: RawMessage, account: AccountID, signatures: SignatureCheck? = nil, isHeader: Bool = false
    ) {
        let message = MIMEParser.parse(raw.bytes)
        let envelope = message.envelope
        let size = raw.listed.size ?? raw.bytes.count
        headerDigest = EmailIdentity.fingerprint(headerBlock: message.canonicalHeaderBlock)
        headerIdentifies = message.headerIdentifies
        body = isHeader ? nil : BodyDigest(of: message, raw)
        let fingerprint =
            if let body {
                EmailIdentity.fingerprint(header: headerDigest, body: body, size: size)
            } else { headerDigest }
        self.fingerprint = fingerprint
        usualID =
            envelope.messageID.map { EmailIdentity.id(account: account, messageID: $0) }
            ?? EmailIdentity.id(account: account, fingerprint: headerDigest)
        idByFingerprint = EmailIdentity.id(account: account, fingerprint: fingerprint)
        messageID = envelope.messageID
        inReplyTo = envelope.inReplyTo
        references = envelope.references + Self.reported(in: message)
        var row = NewMessage(
            uid: raw.listed.uid, id: idByFingerprint, fingerprint: fingerprint,
            thread: ThreadID(rawValue: idByFingerprint.rawValue),
            received: raw.listed.received ?? envelope.date ?? Timestamp(seconds: 0),
            size: size)
        row.headerDigest = headerDigest
        row.body = body
        row.take(envelope)
        row.take(message, raw, isHeader: isHeader)
        row.take(raw.listed)
        row.isTruncated = raw.isTruncated
        row.signature = signatures?.verdict(of: message, raw)
        row.subjectFacts = SubjectFacts(envelope, headerBlock: row.headerBlock, text: row.text)
        row.event = message.calendar(limit: Self.calendarLimit).flatMap { try? Invitation.read($0) }?.facts
        if !isHeader { row.prepare() }
        unnamed = row
    }

    /// The mail that a delivery report is about: most reports do not name it in their header.
    private static func reported(in message: ParsedMessage) -> [MessageID] {
        guard case .delivery(let report)? = message.report else { return [] }
        return [report.originalMessageID].compactMap(\.self)
    }

    /// The maximum size of a calendar part that is read for rules, in bytes.
    private static let calendarLimit = 256 << 10

    /// The stored message with the same header that is this one; nil: none of them, or the body is needed to
    /// decide.
    func match(among known: [KnownContent]) -> KnownContent? {
        guard let body else {
            // Only the header was read: exactly one message has it, and no other message is expected to.
            guard headerIdentifies, known.count == 1, let one = known.first, one.size == unnamed.size else {
                return nil
            }
            return one
        }
        return known.first { isSame($0, body) }
    }

    private func isSame(_ known: KnownContent, _ body: BodyDigest) -> Bool {
        let isOfSize = known.size == unnamed.size
        switch (known.body, body) {
        case (.whole(let a), .whole(let b)): return a == b
        case (.part(let a), .part(let b)): return isOfSize && (a == b || headerIdentifies)
        case (.part, .whole), (.whole, .part): return isOfSize && headerIdentifies
        case (nil, _):
            // An older version stored only the text of the body.
            let isOfText = known.text == unnamed.text
            return headerIdentifies ? isOfSize || isOfText : isOfSize && isOfText
        }
    }

    /// The approximate size in memory, in bytes.
    var bytes: Int { unnamed.headerBlock.count + unnamed.text.utf8.count + 1_024 }

    func threadInput(id: EmailID) -> ThreadInput {
        ThreadInput(message: id, messageID: messageID, inReplyTo: inReplyTo, references: references)
    }

    func content(of id: EmailID) -> KnownContent {
        KnownContent(id: id, body: body, size: unnamed.size)
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

    fileprivate mutating func take(_ message: ParsedMessage, _ raw: RawMessage, isHeader: Bool) {
        headerBlock = Array(message.headerBlock)
        let reading = MessageText(of: message, withReports: true)
        text = reading.text
        attachments = message.attachments
        for index in attachments.indices {
            attachments[index].size = raw.omitted[attachments[index].section] ?? attachments[index].size
        }
        exceededLimits = message.exceededLimits
        // A message that is one file has no text, and no parts that opus does not know.
        let isOneFile = message.parts.count == 1 && !message.attachments.isEmpty
        let limit = Defect.Name.tooManyParts.rawValue
        if raw.isBeginning, message.parts.count > 1, !exceededLimits.contains(limit) {
            exceededLimits.append(limit)
        }
        if reading.isCut || (raw.isTruncated && !isHeader && !isOneFile) {
            exceededLimits.append(MessageFacts.textLimit)
        }
    }

    fileprivate mutating func take(_ listed: ListedMessage) {
        flags = listed.flags
        keywords = listed.keywords
        remoteName = listed.remoteName
        remoteID = listed.remoteID
    }
}

extension BodyDigest {
    /// For the part of the message that was read.
    init(of message: ParsedMessage, _ raw: RawMessage) {
        let digest = Hex.encode(SHA256.hash(message.canonicalBody))
        self = raw.isTruncated || !raw.omitted.isEmpty ? .part(digest) : .whole(digest)
    }
}

public import Models

/// Makes the message that answers or passes on another one: recipients, subject, thread, quoted words.
///
/// The original is a stranger's: its words become text and never fields, its ids and addresses are written only if
/// they are good ones. Nothing is sent here, and whether a program may answer at all is for its rules to say.
public struct Response: Sendable {
    public let original: ParsedMessage
    public var from: EmailAddress
    /// Addresses that are us: left out of the recipients of an answer.
    public var ownAddresses: [EmailAddress]
    public var date: Timestamp
    public var zoneOffsetSeconds = 0
    public var messageID: MessageID
    /// Set when a program answers and no person reads it first. RFC 3834 §5.
    public var autoSubmitted: MessageBuilder.AutoSubmitted?
    private let envelope: Envelope

    public init(
        to original: ParsedMessage, from: EmailAddress, ownAddresses: [EmailAddress] = [], date: Timestamp,
        messageID: MessageID
    ) {
        self.original = original
        self.from = from
        self.ownAddresses = ownAddresses
        self.date = date
        self.messageID = messageID
        envelope = original.envelope
    }

    // MARK: Answers

    /// An answer to the writer alone; see ``Recipients``. `text` is above the quote.
    public func reply(_ text: String = "") -> MessageBuilder { answer(text, recipients.reply()) }

    /// An answer to the writer and to everyone who got the original.
    public func replyAll(_ text: String = "") -> MessageBuilder { answer(text, recipients.replyAll()) }

    private func answer(_ text: String, _ recipients: Recipients) -> MessageBuilder {
        let quote = QuotedText.write(original, zoneOffsetSeconds: zoneOffsetSeconds)
        let gap = text.isEmpty || quote.isEmpty ? "" : text.utf8.last == ASCII.lf ? "\n" : "\n\n"
        var builder = message(
            to: recipients.to, subject: SubjectPrefix.reply(envelope.subject), text: text + gap + quote)
        builder.cc = recipients.cc
        builder.inReplyTo = envelope.messageID
        builder.references = chain
        return builder
    }

    private var recipients: RecipientFinder {
        let followUp = original.rawHeader("Mail-Followup-To").first.map { AddressList.read($0) } ?? []
        return RecipientFinder(envelope: envelope, followUp: followUp, from: from, own: ownAddresses)
    }

    /// The parent's references (or what it answered), then the parent. RFC 5322 §3.6.4.
    private var chain: [MessageID] {
        let parents =
            envelope.references.isEmpty && envelope.inReplyTo.count == 1
            ? envelope.inReplyTo : envelope.references
        guard let parent = envelope.messageID else { return parents }
        return parents.filter { $0 != parent } + [parent]
    }

    // MARK: Passing on

    /// The original's summary and text below the note, its files beside it.
    public func forwardInline(to: [EmailAddress], note: String = "") -> MessageBuilder {
        var builder = forward(to: to, text: "")
        builder.forwardInline(original, note: note)
        return builder
    }

    /// The original as it is, header and all, attached as message/rfc822.
    public func forwardAttached(to: [EmailAddress], note: String = "") -> MessageBuilder {
        var builder = forward(to: to, text: note)
        builder.messages = [original.bytes]
        return builder
    }

    /// Delegates the matter: the recipient sees all of it and answers the user.
    public func delegate(to: EmailAddress, note: String = "") -> MessageBuilder {
        forwardInline(to: [to], note: note)
    }

    private func forward(to: [EmailAddress], text: String) -> MessageBuilder {
        var builder = message(to: to, subject: SubjectPrefix.forward(envelope.subject), text: text)
        if let parent = envelope.messageID { builder.references = [parent] }
        return builder
    }

    private func message(to: [EmailAddress], subject: String, text: String) -> MessageBuilder {
        var builder = MessageBuilder(
            from: from, to: to, subject: subject, text: text, date: date, messageID: messageID)
        builder.zoneOffsetSeconds = zoneOffsetSeconds
        builder.autoSubmitted = autoSubmitted
        return builder
    }
}

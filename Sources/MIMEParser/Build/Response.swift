public import Models

/// Makes a reply to a message or a forward of it: recipients, subject, thread, quoted text.
///
/// The original comes from a stranger: its text never becomes a field, and only its valid ids and addresses are used.
/// Nothing is sent here, and the caller decides whether an automatic answer is allowed.
public struct Response: Sendable {
    public let original: ParsedMessage
    public var from: EmailAddress
    /// The user's own addresses, which an answer omits.
    public var ownAddresses: [EmailAddress]
    public var date: Timestamp
    /// The offset of the user's zone from UTC at a time, in seconds: the original may be from before a change of the clocks.
    public var zoneOffset: @Sendable (Timestamp) -> Int = { _ in 0 }
    public var messageID: MessageID
    /// Set if a program answers and no person reads the text first. RFC 3834 §5.
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

    /// An answer to the writer only; see ``Recipients``. `text` goes above the quote.
    public func reply(_ text: String = "") -> MessageBuilder { answer(text, recipients.reply()) }

    /// An answer to the writer and all other recipients.
    public func replyAll(_ text: String = "") -> MessageBuilder { answer(text, recipients.replyAll()) }

    /// The recipients of the original to whom ``replyAll(_:)`` cannot write. The names come from a stranger.
    public var leftOut: [EmailAddress] { recipients.leftOut }

    private func answer(_ text: String, _ recipients: Recipients) -> MessageBuilder {
        let quote = QuotedText.write(original, zoneOffsetSeconds: zoneOffset(envelope.date ?? date))
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
        let isFromList = ["List-Post", "List-Id", "Mailing-List"].contains { !original.rawHeader($0).isEmpty }
        return RecipientFinder(
            envelope: envelope, followUp: followUp, from: from, own: ownAddresses, isFromList: isFromList)
    }

    /// The references of the parent (or the message that it answers), then the parent. RFC 5322 §3.6.4.
    private var chain: [MessageID] {
        let parents =
            envelope.references.isEmpty && envelope.inReplyTo.count == 1
            ? envelope.inReplyTo : envelope.references
        guard let parent = envelope.messageID else { return parents }
        return parents.filter { $0 != parent } + [parent]
    }

    // MARK: Forwarding

    /// The note, then the summary and text of the original, with its files attached.
    public func forwardInline(to: [EmailAddress], note: String = "") -> MessageBuilder {
        var builder = forward(to: to, text: "")
        builder.forwardInline(
            original, note: note, zoneOffsetSeconds: zoneOffset(envelope.date ?? date))
        return builder
    }

    /// The complete original, attached as message/rfc822.
    public func forwardAttached(to: [EmailAddress], note: String = "") -> MessageBuilder {
        var builder = forward(to: to, text: note)
        builder.messages = [original.bytes]
        return builder
    }

    /// Forwards the whole message to a person, who answers the user.
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
        builder.zoneOffsetSeconds = zoneOffset(date)
        builder.autoSubmitted = autoSubmitted
        return builder
    }
}

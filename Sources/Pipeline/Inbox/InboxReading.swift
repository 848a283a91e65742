import MailStore
public import Models

/// The content of the reading pane for an item.
public struct InboxReading: Sendable {
    /// One message. None of its text is trusted.
    public struct Part: Sendable {
        public var from: String
        public var to: String
        public var date: Timestamp
        public var subject: String
        public var text: String
        public var files: [String]
        /// Only the beginning of the text is stored.
        public var isTruncated: Bool
    }

    /// Newest first.
    public var parts: [Part]
    /// The number of further messages of the item.
    public var more = 0

    /// The maximum number of messages of an item that are read.
    static let mostParts = 10
    /// The maximum length of a shown text, in characters.
    static let longestText = 100_000
    /// The maximum number of shown recipients.
    static let mostRecipients = 20

    init(_ messages: [StoredMessage], of count: Int) {
        parts = messages.map { message in
            let to = (message.to + message.cc).prefix(Self.mostRecipients)
            return Part(
                from: message.from.first?.description ?? "",
                to: to.map(\.description).joined(separator: ", "), date: message.sent ?? message.received,
                subject: message.subject, text: String(message.text.prefix(Self.longestText)),
                files: message.attachments.prefix(Self.mostRecipients).filter { !$0.isInline }.map(\.name),
                isTruncated: message.isTruncated || message.text.utf8.count > Self.longestText * 4)
        }
        more = max(0, count - messages.count)
    }
}

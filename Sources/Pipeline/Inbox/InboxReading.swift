import MailStore
public import Models

/// What the reading pane shows of an item.
public struct InboxReading: Sendable {
    /// One message. All of it is text from a stranger.
    public struct Part: Sendable {
        public var from: String
        public var to: String
        public var date: Timestamp
        public var subject: String
        public var text: String
        public var files: [String]
        /// Only the beginning is here.
        public var isTruncated: Bool
    }

    /// The newest is the first.
    public var parts: [Part]
    /// How many more messages the item has.
    public var more = 0

    /// The most messages of an item that are read.
    static let mostParts = 10
    /// The most characters of a message that are shown.
    static let longestText = 100_000
    /// The most recipients that are shown.
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

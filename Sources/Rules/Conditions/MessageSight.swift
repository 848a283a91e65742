import Models

/// The data that a condition may read: one message, its conversation and its tasks.
///
/// A property that is nil is unknown, and a condition that needs it returns ``Truth/unknown``.
protocol MessageSight: AnyObject {
    var facts: MessageFacts { get }
    var context: RuleContext { get }
    var zone: Zone { get }
    /// The user's own addresses.
    var me: Set<FoldedText> { get }
    var from: [FoldedAddress] { get }
    /// The open tasks of the conversation.
    var todos: [Todo] { get }

    /// The bodies of all fields with that name, which must be in lower case.
    func header(_ name: String) -> [String]
    func foldedHeader(_ name: String) -> [FoldedText]

    /// The largest sum in each currency in subject and text, in cents; nil: the text was not fetched.
    var sums: [String: Int]? { get }

    /// Whether the conversation was read.
    var hasConversation: Bool { get }
    var threadSize: Int? { get }
    /// Whether the user wrote any message of the conversation.
    var hasOwnMessage: Bool? { get }
    /// Whether the user wrote last; also nil if the conversation has no message.
    var lastMessageIsOwn: Bool? { get }
}

/// Texts about the actual values of a message, for `explain` and for failed rule tests. They contain
/// untrusted text, unescaped.
extension MessageSight {
    static var seenLimit: Int { 200 }

    func shortened(_ text: String) -> String {
        text.count <= Self.seenLimit ? text : text.prefix(Self.seenLimit - 1) + "…"
    }

    /// Shortened and separated by commas; `none` if empty.
    func list(_ texts: [String], none: String) -> String {
        texts.isEmpty ? none : shortened(texts.joined(separator: ", "))
    }

    func reading(_ time: Timestamp) -> String {
        let local = zone.local(time)
        return "\(local.date) \(local.clock.prefix(5))"
    }

    func spelling(_ date: TodoDate) -> String {
        switch date {
        case .date(let day): day.description
        case .instant(let time): reading(time)
        case .local(let reading, zone: _): "\(reading.date) \(reading.clock.prefix(5))"
        }
    }

    var attachmentNames: [String] { facts.attachments.map { $0.name.isEmpty ? $0.contentType : $0.name } }
}

/// The facts of a message that must be read before rules can judge it.
public struct FactNeeds: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let headers = FactNeeds(rawValue: 1)
    public static let text = FactNeeds(rawValue: 2)
    /// The content of the message itself, in addition to what every list shows.
    public static let content: FactNeeds = [.headers, .text]
    /// The other messages of the conversation.
    public static let thread = FactNeeds(rawValue: 4)
    /// Header and text of those messages, for conditions inside `thread:has(…)`.
    public static let threadHeaders = FactNeeds(rawValue: 32)
    public static let threadText = FactNeeds(rawValue: 64)
    /// The content of the open tasks.
    public static let tasks = FactNeeds(rawValue: 8)
    /// The number of messages of a writer.
    public static let senders = FactNeeds(rawValue: 16)
    /// Whether a copy of the message arrived earlier.
    public static let copies = FactNeeds(rawValue: 128)
    /// When the earlier messages of a writer arrived.
    public static let senderTimes = FactNeeds(rawValue: 256)
    /// Whether the message came back at the end of a deferral.
    public static let returns = FactNeeds(rawValue: 512)
    /// Which open tasks a person has answered.
    public static let answers = FactNeeds(rawValue: 1_024)
    /// The facts that are read from the store in addition to the message.
    public static let surroundings: FactNeeds = [
        .thread, .tasks, .senders, .copies, .senderTimes, .returns, .answers,
    ]

    /// The same needs for the messages of the conversation.
    var insideThread: FactNeeds {
        var needs: FactNeeds = []
        if contains(.headers) { needs.insert(.threadHeaders) }
        if contains(.text) { needs.insert(.threadText) }
        if contains(.copies) { needs.insert(.copies) }
        return needs
    }

    /// The needs for the messages of a conversation.
    public var ofConversations: FactNeeds {
        var needs: FactNeeds = []
        if contains(.threadHeaders) { needs.insert(.headers) }
        if contains(.threadText) { needs.insert(.text) }
        return needs
    }
}

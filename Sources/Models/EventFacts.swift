/// The event in the calendar part of a message. It is text from a stranger.
public struct EventFacts: Hashable, Codable, Sendable {
    /// What the sender requests or announces. RFC 5546 §1.4.
    public enum Method: String, Hashable, Codable, Sendable {
        case request
        case cancel
        case reply
        case publish
        case other
    }

    public var method: Method
    public var uid: String
    /// The version of the event: a later one replaces the earlier ones.
    public var sequence: Int
    /// A day, a point in time, or a floating time; never a time in a named zone. nil: a cancellation need not have one.
    public var start: TodoDate?
    /// The end of the event, including its repetitions; nil: it repeats without an end, or its last date is not known.
    public var over: TodoDate?

    public init(
        method: Method = .request, uid: String = "", sequence: Int = 0, start: TodoDate?, over: TodoDate?
    ) {
        self.method = method
        self.uid = uid
        self.sequence = sequence
        self.start = start
        self.over = over
    }
}

/// The user's answer to an invitation.
public enum InvitationAnswer: String, Hashable, Codable, Sendable, CaseIterable {
    case yes
    case no
    case maybe
}

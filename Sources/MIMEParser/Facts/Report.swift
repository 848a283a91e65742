public import Models

/// A mail system's report on another message. RFC 6522.
public enum Report: Hashable, Sendable {
    case delivery(DeliveryReport)
    case disposition(DispositionReport)
}

/// What became of a message on its way. RFC 3464. All text comes from a stranger.
public struct DeliveryReport: Hashable, Sendable {
    public enum Action: String, Hashable, Sendable, CaseIterable {
        case failed
        case delayed
        case delivered
        case relayed
        case expanded
    }

    public struct Recipient: Hashable, Sendable {
        public var finalRecipient: String?
        public var originalRecipient: String?
        /// nil when missing or unknown.
        public var action: Action?
        /// `5.1.1`. RFC 3463.
        public var status: String?
        public var remoteMTA: String?
        public var diagnosticCode: String?
        public var lastAttempt: Timestamp?

        public init() {}
    }

    static let recipientLimit = 256

    public var reportingMTA: String?
    public var arrivalDate: Timestamp?
    public var recipients: [Recipient] = []
    /// Of the message that is reported on, when it or its header came back.
    public var originalMessageID: MessageID?

    public init() {}
}

/// What the receiver did with a message. RFC 8098.
public struct DispositionReport: Hashable, Sendable {
    public var originalMessageID: MessageID?
    public var finalRecipient: String?
    public var originalRecipient: String?
    /// `manual-action/MDN-sent-manually`, lower case.
    public var mode: String?
    /// `displayed`, `deleted`, `dispatched`, `processed`, lower case.
    public var type: String?

    public init() {}
}

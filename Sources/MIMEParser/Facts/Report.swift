public import Models

/// A mail system's report on another message. RFC 6522.
public enum Report: Hashable, Sendable {
    case delivery(DeliveryReport)
    case disposition(DispositionReport)
}

/// The result of a delivery. RFC 3464. All text comes from a stranger.
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
        /// nil: missing or unknown.
        public var action: Action?
        /// The enhanced status code, such as `5.1.1`. RFC 3463.
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
    /// The Message-ID of the reported message, if the report contains the message or its header.
    public var originalMessageID: MessageID?

    public init() {}
}

/// What the recipient's program did with a message. RFC 8098.
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

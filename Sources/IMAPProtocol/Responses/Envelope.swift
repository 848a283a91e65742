/// What ENVELOPE says of a message: the header fields that lists show, as the server read them.
///
/// Bytes as they came, encoded words included: nothing here is decoded, and all of it is text from a stranger.
/// Servers read headers worse than we do, so the header block itself is the better source where it is at hand.
/// RFC 3501 §7.4.2.
public struct Envelope: Equatable, Sendable {
    public var date: [UInt8]?
    public var subject: [UInt8]?
    public var from: [EnvelopeAddress] = []
    public var sender: [EnvelopeAddress] = []
    public var replyTo: [EnvelopeAddress] = []
    public var to: [EnvelopeAddress] = []
    public var cc: [EnvelopeAddress] = []
    public var bcc: [EnvelopeAddress] = []
    public var inReplyTo: [UInt8]?
    /// With its angle brackets.
    public var messageID: [UInt8]?

    public init() {}
}

/// One address of an envelope, or one end of a group of addresses. RFC 3501 §7.4.2.
public struct EnvelopeAddress: Equatable, Sendable {
    public enum Kind: Equatable, Sendable {
        case mailbox
        /// `undisclosed-recipients:`, its name in ``EnvelopeAddress/mailbox``.
        case groupStart
        case groupEnd
    }

    public var kind: Kind
    public var name: [UInt8]?
    /// What is before the `@`.
    public var mailbox: [UInt8]?
    /// What is after the `@`; nil also where the server could not read one.
    public var host: [UInt8]?

    public init(kind: Kind = .mailbox, name: [UInt8]? = nil, mailbox: [UInt8]? = nil, host: [UInt8]? = nil) {
        self.kind = kind
        self.name = name
        self.mailbox = mailbox
        self.host = host
    }

    /// `ann@example.org`; nil for the ends of a group, and where a half is missing.
    public var address: String? {
        guard kind == .mailbox, let mailbox, let host, !mailbox.isEmpty, !host.isEmpty else { return nil }
        return serverText(mailbox, maximum: 256) + "@" + serverText(host, maximum: 256)
    }
}

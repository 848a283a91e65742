/// The header fields of a message according to ENVELOPE. RFC 3501 §7.4.2.
///
/// All bytes are unchanged and not decoded, including encoded words, and come from a stranger. Many servers parse
/// headers badly: if you have the header block, use it instead.
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
    /// The Message-ID, with its angle brackets.
    public var messageID: [UInt8]?

    public init() {}
}

/// One address of an envelope, or the start or end of a group. RFC 3501 §7.4.2.
public struct EnvelopeAddress: Equatable, Sendable {
    public enum Kind: Equatable, Sendable {
        case mailbox
        /// The start of a group such as `undisclosed-recipients:`; its name is in ``EnvelopeAddress/mailbox``.
        case groupStart
        case groupEnd
    }

    public var kind: Kind
    public var name: [UInt8]?
    /// The text before the `@`.
    public var mailbox: [UInt8]?
    /// The text after the `@`; nil: the address has none, or the server could not read it.
    public var host: [UInt8]?

    public init(kind: Kind = .mailbox, name: [UInt8]? = nil, mailbox: [UInt8]? = nil, host: [UInt8]? = nil) {
        self.kind = kind
        self.name = name
        self.mailbox = mailbox
        self.host = host
    }

    /// `ann@example.org`; nil: the start or end of a group, or an incomplete address.
    public var address: String? {
        guard kind == .mailbox, let mailbox, let host, !mailbox.isEmpty, !host.isEmpty else { return nil }
        return serverText(mailbox, maximum: 256) + "@" + serverText(host, maximum: 256)
    }
}

public import NIOCore

/// A message to append to a mailbox. RFC 3501 §6.3.11.
public struct AppendRequest: Equatable, Sendable {
    public var mailbox: [UInt8]
    public var flags: [String]
    /// Seconds since 1970; nil: the server uses its current time.
    public var internalDate: Int64?
    /// The message, with CRLF line ends.
    public var message: ByteBuffer
    /// Whether the header contains UTF-8: `UTF8 (~{12}…)`. Requires UTF8=ACCEPT, enabled. RFC 6855 §4.
    public var isUTF8: Bool

    public init(
        mailbox: [UInt8], flags: [String] = [], internalDate: Int64? = nil, message: ByteBuffer,
        isUTF8: Bool = false
    ) {
        self.mailbox = mailbox
        self.flags = flags
        self.internalDate = internalDate
        self.message = message
        self.isUTF8 = isUTF8
    }
}

extension CommandWriter {
    mutating func write(_ request: AppendRequest) throws(EncodingError) {
        try mailbox(request.mailbox)
        if !request.flags.isEmpty { words("(\(try flagWords(request.flags)))") }
        if let date = request.internalDate { words("\"\(InternalDate.format(date))\"") }
        if request.isUTF8 {
            words("UTF8 (")
            try literal8(request.message)
            close(")")
        } else {
            try literal(request.message)
        }
    }
}

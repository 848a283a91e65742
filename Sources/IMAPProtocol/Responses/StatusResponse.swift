/// OK, NO, BAD, PREAUTH or BYE, with its code and text. RFC 3501 §7.1.
public struct StatusResponse: Equatable, Sendable {
    public enum Status: String, Equatable, Sendable {
        case ok = "OK"
        case no = "NO"
        case bad = "BAD"
        case preauth = "PREAUTH"
        case bye = "BYE"
    }

    public var status: Status
    public var code: ResponseCode?
    /// The server's words, at most 500 bytes. Text from a stranger.
    public var text: String

    public init(_ status: Status, code: ResponseCode? = nil, text: String = "") {
        self.status = status
        self.code = code
        self.text = text
    }

    public var isOK: Bool { status == .ok }
}

/// The code in brackets of a status response: the part that programs read. RFC 3501 §7.1, RFC 5530.
public enum ResponseCode: Equatable, Sendable {
    case capability(Set<Capability>)
    case uidValidity(UInt32)
    case uidNext(UInt32)
    case highestModSeq(UInt64)
    case noModSeq
    /// The flags that can be changed for good; `\*` among them means new keywords are welcome.
    case permanentFlags([String])
    case readOnly
    case readWrite
    case copyUID(CopyUID)
    case appendUID(AppendUID)
    case tryCreate
    case alert
    case authenticationFailed
    case overQuota
    case unavailable
    /// A conditional STORE left these out: they had changed. RFC 7162 §3.1.3.
    case modified(UIDSet)
    case closed
    case nonExistent
    case alreadyExists
    /// Any other code, its name in upper case and its arguments as they came.
    case other(name: String, arguments: String)
}

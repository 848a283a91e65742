/// The name of a response code, for callers that do not need its argument. RFC 9051 §7.1, RFC 5530 §3.
///
/// ``ResponseCode`` has a case for each code whose argument or meaning opus uses. All other codes have a name here;
/// unknown codes of a server keep their name.
public struct ResponseCodeName: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// Upper case.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue.utf8.uppercasedWord }

    public var description: String { rawValue }

    private init(_ name: String) { rawValue = name }

    // RFC 9051 and RFC 3501
    public static let alert = ResponseCodeName("ALERT")
    public static let badCharset = ResponseCodeName("BADCHARSET")
    public static let capability = ResponseCodeName("CAPABILITY")
    public static let hasChildren = ResponseCodeName("HASCHILDREN")
    public static let parse = ResponseCodeName("PARSE")
    public static let permanentFlags = ResponseCodeName("PERMANENTFLAGS")
    public static let readOnly = ResponseCodeName("READ-ONLY")
    public static let readWrite = ResponseCodeName("READ-WRITE")
    public static let tryCreate = ResponseCodeName("TRYCREATE")
    public static let uidNext = ResponseCodeName("UIDNEXT")
    public static let uidValidity = ResponseCodeName("UIDVALIDITY")
    public static let unknownTransferEncoding = ResponseCodeName("UNKNOWN-CTE")
    public static let unseen = ResponseCodeName("UNSEEN")
    public static let useAttribute = ResponseCodeName("USEATTR")

    // UIDPLUS, RFC 4315
    public static let appendUID = ResponseCodeName("APPENDUID")
    public static let copyUID = ResponseCodeName("COPYUID")
    public static let uidNotSticky = ResponseCodeName("UIDNOTSTICKY")

    // CONDSTORE and QRESYNC, RFC 4551 and RFC 7162
    public static let closed = ResponseCodeName("CLOSED")
    public static let highestModSeq = ResponseCodeName("HIGHESTMODSEQ")
    public static let modified = ResponseCodeName("MODIFIED")
    public static let noModSeq = ResponseCodeName("NOMODSEQ")

    // RFC 5530
    public static let alreadyExists = ResponseCodeName("ALREADYEXISTS")
    public static let authenticationFailed = ResponseCodeName("AUTHENTICATIONFAILED")
    public static let authorizationFailed = ResponseCodeName("AUTHORIZATIONFAILED")
    public static let cannot = ResponseCodeName("CANNOT")
    public static let clientBug = ResponseCodeName("CLIENTBUG")
    public static let contactAdmin = ResponseCodeName("CONTACTADMIN")
    public static let corruption = ResponseCodeName("CORRUPTION")
    public static let expired = ResponseCodeName("EXPIRED")
    public static let expungeIssued = ResponseCodeName("EXPUNGEISSUED")
    public static let inUse = ResponseCodeName("INUSE")
    public static let limit = ResponseCodeName("LIMIT")
    public static let nonExistent = ResponseCodeName("NONEXISTENT")
    public static let noPermission = ResponseCodeName("NOPERM")
    public static let overQuota = ResponseCodeName("OVERQUOTA")
    public static let privacyRequired = ResponseCodeName("PRIVACYREQUIRED")
    public static let serverBug = ResponseCodeName("SERVERBUG")
    public static let unavailable = ResponseCodeName("UNAVAILABLE")

    // One code for each extension.
    /// NOTIFY, RFC 5465 §5.8: the server can no longer report all requested events.
    public static let notificationOverflow = ResponseCodeName("NOTIFICATIONOVERFLOW")
    public static let badEvent = ResponseCodeName("BADEVENT")
    /// COMPRESS, RFC 4978 §3.
    public static let compressionActive = ResponseCodeName("COMPRESSIONACTIVE")
    /// OBJECTID, RFC 8474 §4.1: see ``ResponseCode/mailboxID``.
    public static let mailboxID = ResponseCodeName("MAILBOXID")
    /// APPENDLIMIT, RFC 7889 §4.
    public static let tooBig = ResponseCodeName("TOOBIG")
    /// SEARCHRES, RFC 5182 §2.1.
    public static let notSaved = ResponseCodeName("NOTSAVED")
    public static let downgraded = ResponseCodeName("DOWNGRADED")
    public static let inProgress = ResponseCodeName("INPROGRESS")
    public static let messageLimit = ResponseCodeName("MESSAGELIMIT")
    public static let uidRequired = ResponseCodeName("UIDREQUIRED")
    public static let referral = ResponseCodeName("REFERRAL")

    // Gmail's own codes.
    public static let throttled = ResponseCodeName("THROTTLED")
    public static let webAlert = ResponseCodeName("WEBALERT")
}

extension ResponseCode {
    public var name: ResponseCodeName {
        switch self {
        case .capability: .capability
        case .uidValidity: .uidValidity
        case .uidNext: .uidNext
        case .highestModSeq: .highestModSeq
        case .noModSeq: .noModSeq
        case .permanentFlags: .permanentFlags
        case .readOnly: .readOnly
        case .readWrite: .readWrite
        case .copyUID: .copyUID
        case .appendUID: .appendUID
        case .tryCreate: .tryCreate
        case .alert: .alert
        case .authenticationFailed: .authenticationFailed
        case .overQuota: .overQuota
        case .unavailable: .unavailable
        case .modified: .modified
        case .closed: .closed
        case .nonExistent: .nonExistent
        case .alreadyExists: .alreadyExists
        case .other(let name, _): ResponseCodeName(rawValue: name)
        }
    }

    /// `[MAILBOXID (F2212ea87-6097-4256-9d51-71338625)]`: the permanent identifier of the mailbox. RFC 8474 §4.1.
    public var mailboxID: String? {
        guard case .other("MAILBOXID", let arguments) = self else { return nil }
        let id = arguments.utf8.drop { $0 == .openParenthesis || $0 == .space }
        let word = id.prefix { $0 != .closeParenthesis && $0 != .space }
        return word.isEmpty ? nil : String(decoding: word, as: UTF8.self)
    }

    /// The number in `[UNSEEN 12]` or `[MESSAGELIMIT 1000]`; nil: any other code.
    public var number: UInt64? {
        guard case .other(_, let arguments) = self else { return nil }
        return UInt64(arguments.prefix { $0 != " " })
    }

    /// Whether the same command may well succeed later: nothing is wrong with it, nor with the password.
    public var isTemporary: Bool {
        let temporary: Set<ResponseCodeName> = [
            .unavailable, .inUse, .limit, .serverBug, .throttled, .overQuota, .contactAdmin, .inProgress,
        ]
        return temporary.contains(name)
    }
}

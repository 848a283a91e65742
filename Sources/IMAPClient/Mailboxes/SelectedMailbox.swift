import IMAPProtocol

/// The answer to SELECT or EXAMINE. RFC 3501 §6.3.1.
public struct SelectedMailbox: Equatable, Sendable {
    public var name: [UInt8]
    public var exists: Int
    /// 0: the server did not send it. Then no UID may be stored or used for a change.
    public var uidValidity: UInt32
    public var uidNext: UInt32?
    /// nil: the server has no CONDSTORE, or the mailbox does not support it.
    public var highestModSeq: UInt64?
    /// Flags that can be changed permanently; nil: the server did not send them, which means all.
    public var permanentFlags: [String]?
    public var allowsNewKeywords: Bool
    public var isReadOnly: Bool
    /// Changes since the state given to SELECT; nil: no state was given, or the server did not use it.
    public var changes: MailboxChanges?

    public init(
        name: [UInt8], exists: Int = 0, uidValidity: UInt32 = 0, uidNext: UInt32? = nil,
        highestModSeq: UInt64? = nil, permanentFlags: [String]? = nil, allowsNewKeywords: Bool = true,
        isReadOnly: Bool = false
    ) {
        self.name = name
        self.exists = exists
        self.uidValidity = uidValidity
        self.uidNext = uidNext
        self.highestModSeq = highestModSeq
        self.permanentFlags = permanentFlags
        self.allowsNewKeywords = allowsNewKeywords
        self.isReadOnly = isReadOnly
    }
}

extension SelectedMailbox {
    init(name: [UInt8], readOnly: Bool, outcome: Outcome) {
        self.init(name: name, isReadOnly: readOnly)
        for case .exists(let count) in outcome.untagged { exists = Int(count) }
        for code in outcome.codes { add(code) }
    }

    private mutating func add(_ code: ResponseCode) {
        switch code {
        case .uidValidity(let value): uidValidity = value
        case .uidNext(let value): uidNext = value > 0 ? value : nil
        case .highestModSeq(let value): highestModSeq = value
        case .noModSeq: highestModSeq = nil
        case .permanentFlags(let flags):
            allowsNewKeywords = flags.contains("\\*")
            permanentFlags = flags.filter { $0 != "\\*" }
        case .readOnly: isReadOnly = true
        case .readWrite, .capability, .copyUID, .appendUID, .tryCreate, .alert, .authenticationFailed,
            .overQuota, .unavailable, .modified, .closed, .nonExistent, .alreadyExists, .other:
            break
        }
    }
}

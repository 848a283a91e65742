import IMAPProtocol

/// The answer to SELECT or EXAMINE. RFC 3501 §6.3.1.
public struct SelectedMailbox: Equatable, Sendable {
    public var name: [UInt8]
    public var exists: Int
    /// 0 when the server did not tell: then no UID may be kept, and none used for a change.
    public var uidValidity: UInt32
    public var uidNext: UInt32?
    /// nil without CONDSTORE, and for a mailbox that keeps none.
    public var highestModSeq: UInt64?
    /// Flags that can be changed for good; nil when the server did not tell, which means all.
    public var permanentFlags: [String]?
    public var allowsNewKeywords: Bool
    public var isReadOnly: Bool
    /// What changed since the state that SELECT was given; nil when it was given none, or has not answered it.
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

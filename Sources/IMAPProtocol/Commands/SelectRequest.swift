/// SELECT or EXAMINE with what the mailbox was like when we saw it last.
public struct SelectRequest: Equatable, Sendable {
    /// Requests beyond the mailbox itself.
    public enum Option: Equatable, Sendable {
        case none
        case condstore
        /// Alone: `(CONDSTORE QRESYNC (…))` is BAD at Purelymail. QRESYNC must have been enabled.
        case qresync(ResyncState)
    }

    public var mailbox: [UInt8]
    public var readOnly: Bool
    public var option: Option

    public init(_ mailbox: [UInt8], readOnly: Bool = false, option: Option = .none) {
        self.mailbox = mailbox
        self.readOnly = readOnly
        self.option = option
    }
}

extension CommandWriter {
    mutating func write(_ request: SelectRequest) throws(EncodingError) {
        try mailbox(request.mailbox)
        switch request.option {
        case .none: break
        case .condstore: words("(CONDSTORE)")
        case .qresync(let known):
            let uids = known.knownUIDs.isEmpty ? "" : " \(known.knownUIDs)"
            words("(QRESYNC (\(known.uidValidity) \(known.modSeq)\(uids)))")
        }
    }
}

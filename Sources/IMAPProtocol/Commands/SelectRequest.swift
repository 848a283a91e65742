/// SELECT or EXAMINE, optionally with the last known state of the mailbox. RFC 3501 §6.3.1, §6.3.2.
public struct SelectRequest: Equatable, Sendable {
    /// What to request in addition to opening the mailbox.
    public enum Option: Equatable, Sendable {
        case none
        case condstore
        /// Sent without CONDSTORE, because Purelymail answers `(CONDSTORE QRESYNC (…))` with BAD. Requires QRESYNC,
        /// enabled.
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

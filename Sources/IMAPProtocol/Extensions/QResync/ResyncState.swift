/// RFC 7162 §3.2.5. The list of sequence numbers is left out on purpose: Zimbra refuses numbers above EXISTS.
public struct ResyncState: Equatable, Sendable {
    public var uidValidity: UInt32
    public var modSeq: UInt64
    /// Empty lets the server take all up to the last UID.
    public var knownUIDs: UIDSet

    public init(uidValidity: UInt32, modSeq: UInt64, knownUIDs: UIDSet = UIDSet()) {
        self.uidValidity = uidValidity
        self.modSeq = modSeq
        self.knownUIDs = knownUIDs
    }
}

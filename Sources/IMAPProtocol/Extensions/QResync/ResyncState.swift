/// The known state of a mailbox, for SELECT (QRESYNC …). The server answers with the changes since. RFC 7162 §3.2.5.
///
/// It omits the list of sequence numbers, because Zimbra refuses numbers above EXISTS.
///
///     select-param =/ "QRESYNC" SP "(" uidvalidity SP mod-sequence-value [SP known-uids] [SP seq-match-data] ")"
public struct ResyncState: Equatable, Sendable {
    public var uidValidity: UInt32
    public var modSeq: UInt64
    /// Empty: the server assumes all UIDs up to the last one.
    public var knownUIDs: UIDSet

    public init(uidValidity: UInt32, modSeq: UInt64, knownUIDs: UIDSet = UIDSet()) {
        self.uidValidity = uidValidity
        self.modSeq = modSeq
        self.knownUIDs = knownUIDs
    }
}

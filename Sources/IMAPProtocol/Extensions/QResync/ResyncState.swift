/// What we know of a mailbox, for SELECT (QRESYNC …): the server answers with what changed since. RFC 7162 §3.2.5.
///
/// The list of sequence numbers is left out on purpose: Zimbra refuses numbers above EXISTS.
///
///     select-param =/ "QRESYNC" SP "(" uidvalidity SP mod-sequence-value [SP known-uids] [SP seq-match-data] ")"
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

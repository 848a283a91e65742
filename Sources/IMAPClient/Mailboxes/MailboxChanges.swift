import IMAPProtocol

/// How a server reports changes in a mailbox. RFC 7162.
public enum ChangeReporting: Hashable, Sendable {
    case none
    case condstore
    case qresync
}

/// Changes that a server reported without a FETCH: changed flags and removed messages. RFC 7162 §3.2.5.
public struct MailboxChanges: Equatable, Sendable {
    /// In the order of arrival; if a UID occurs twice, the last one counts.
    public var flags: [FlagEcho] = []
    /// Unchanged: in any order, overlapping, and with UIDs that never existed.
    public var vanished: [ClosedRange<UInt32>] = []
    /// False: a response could not be read, so the stored HIGHESTMODSEQ must not increase.
    public var isComplete = true

    public init() {}
}

extension MailboxChanges {
    /// Adds a response that came while the mailbox was opened; false: it does not report a change.
    mutating func add(_ response: Untagged) -> Bool {
        switch response {
        case .fetch(let fetch):
            add(fetch)
            return true
        case .vanished(let vanished):
            self.vanished += vanished.uids.ranges
            return true
        case .status, .capability, .enabled, .list, .mailboxStatus, .search, .esearch, .flags, .exists,
            .recent,
            .expunge, .id, .namespace, .myRights, .quota, .quotaRoot, .blank, .other, .unparsable:
            return false
        }
    }

    /// After ENABLE QRESYNC, each unrequested FETCH must contain the UID. RFC 7162 §3.2.4.
    private mutating func add(_ fetch: FetchResponse) {
        guard let uid = fetch.uid else {
            isComplete = false
            return
        }
        guard uid > 0, let atoms = fetch.flags else { return }
        flags.append(FlagEcho(uid: uid, flags: atoms, modSeq: fetch.modSeq))
    }
}

import IMAPProtocol

/// How a server tells what changed in a mailbox. RFC 7162.
public enum ChangeReporting: Hashable, Sendable {
    case none
    case condstore
    case qresync
}

/// What a server reported by itself: flags that changed, and messages that went. RFC 7162 §3.2.5.
public struct MailboxChanges: Equatable, Sendable {
    /// In the order of arrival; of a UID that comes twice the last counts.
    public var flags: [FlagEcho] = []
    /// As they came: any order, overlapping, and also UIDs that never were.
    public var vanished: [ClosedRange<UInt32>] = []
    /// False when an answer could not be read: then HIGHESTMODSEQ must not move on.
    public var isComplete = true

    public init() {}
}

extension MailboxChanges {
    /// Takes over what a server reports while it opens the mailbox; false for a response that reports no change.
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
            .expunge, .id, .namespace, .quota, .quotaRoot, .blank, .other, .unparsable:
            return false
        }
    }

    /// After ENABLE QRESYNC each FETCH that comes unasked must name its UID. RFC 7162 §3.2.4.
    private mutating func add(_ fetch: FetchResponse) {
        guard let uid = fetch.uid else {
            isComplete = false
            return
        }
        guard uid > 0, let atoms = fetch.flags else { return }
        flags.append(FlagEcho(uid: uid, flags: atoms, modSeq: fetch.modSeq))
    }
}

import MailStore
import Models

/// The result of an ``AccountPass`` for one mailbox.
struct PassedMailbox: Sendable {
    /// More new messages than that are listed first.
    static let maximumNew: UInt32 = 500

    var wish: ResyncWish
    /// Before the pass; and which UIDs were known from UIDNEXT on (messages that opus moved there).
    var known: MailboxKnowledge
    var heldTail: Set<UInt32>
    /// nil: the mailbox is opened separately.
    var server: SourceMailbox?
    /// UIDs that came from UIDNEXT on.
    var seen: Set<UInt32> = []
    var outcome = SyncOutcome()
}

import MailStore
import Models
import SyncPlanner

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
    /// What came from UIDNEXT on.
    var seen: [MessageMarks] = []
    var outcome = SyncOutcome()
}

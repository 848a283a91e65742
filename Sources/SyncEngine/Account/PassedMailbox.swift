import MailStore
import Models

/// What an ``AccountPass`` brought of one mailbox.
struct PassedMailbox: Sendable {
    /// More new messages than that are listed first.
    static let maximumNew: UInt32 = 500

    var wish: ResyncWish
    /// Before the pass; and which UIDs we held from UIDNEXT on (messages that we moved there).
    var known: MailboxKnowledge
    var heldTail: Set<UInt32>
    /// nil: the mailbox is opened by itself.
    var server: SourceMailbox?
    /// UIDs that came from UIDNEXT on.
    var seen: Set<UInt32> = []
    var outcome = SyncOutcome()
}

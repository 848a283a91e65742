import MailStore
import Models
import SyncPlanner

/// The result of an ``AccountPass`` for one mailbox.
struct PassedMailbox: Sendable {
    /// If there are more new messages, they are listed first.
    static let maximumNew: UInt32 = 500

    var wish: ResyncWish
    /// The stored state before the pass.
    var known: MailboxKnowledge
    var heldTail: Set<UInt32>
    /// nil: the mailbox must be opened separately.
    var server: SourceMailbox?
    /// The received messages, from UIDNEXT on.
    var seen: [MessageMarks] = []
    var outcome = SyncOutcome()
}

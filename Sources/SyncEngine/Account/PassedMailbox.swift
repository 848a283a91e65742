import MailStore
import Models
import SyncPlanner

/// The result of an ``AccountPass`` for one mailbox.
struct PassedMailbox: Sendable {
    /// A mailbox with more new messages is left to its own sync.
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

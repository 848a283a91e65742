import MailStore
import Models
import SyncPlanner

/// Which mailboxes have lost messages since the last sync. New messages in other mailboxes may be the lost
/// ones; their headers show that.
struct MoveWatch {
    private var losers: Set<MailboxName> = []
    /// Some mailboxes report no numbers until they are opened: any of them may have lost messages.
    private var isBlind = false

    init(_ entries: [AccountSurvey.Entry], context: SyncContext) throws {
        for entry in entries {
            let known = try MailboxKnowledge(of: entry.mailbox, context: context)
            guard let numbers = entry.numbers, let uidNext = numbers.uidNext else {
                if known.state != nil { isBlind = true }
                continue
            }
            let new = Int(uidNext - min(uidNext, known.local.uidNext))
            if numbers.exists < known.held.count + known.local.beyond + new {
                noteLoss(of: entry.mailbox.name)
            }
        }
    }

    mutating func noteLoss(of mailbox: MailboxName) { losers.insert(mailbox) }

    /// Whether another program may have moved messages to this mailbox.
    func mayBring(to mailbox: MailboxName) -> Bool {
        isBlind || losers.contains { $0 != mailbox }
    }
}

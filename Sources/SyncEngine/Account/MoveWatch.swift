import MailStore
import Models
import SyncPlanner

/// Which mailboxes have lost messages since the last sync: new ones elsewhere may be theirs, as their headers show.
struct MoveWatch {
    private var losers: Set<MailboxName> = []
    /// Some mailboxes give no numbers before they are opened: any of them may have lost messages.
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

    /// Whether new messages there may have been moved by another program.
    func mayBring(to mailbox: MailboxName) -> Bool {
        isBlind || losers.contains { $0 != mailbox }
    }
}

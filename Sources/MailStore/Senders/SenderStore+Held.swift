import GRDB
public import Models

extension SenderStore {
    /// The messages that the screener held, each with the mailbox to which it moved them last. Some may have left since. Mail
    /// of denied senders does not count.
    public func heldBefore(account: AccountID) throws(MailStoreError) -> [EmailID: MailboxName] {
        try file.reading { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT message, kind FROM step
                    WHERE account = (SELECT id FROM account WHERE name = ?) AND cause = 'hand' AND rule = 'screener'
                        AND verb = 'move' AND state = 'confirmed' AND message IS NOT NULL
                    ORDER BY id
                    """, arguments: [account.rawValue])
            var found: [EmailID: MailboxName] = [:]
            while let row = try rows.next() {
                guard case .move(_, let destination) = try StepRecord.kind(row[1]) else { continue }
                found[EmailID(rawValue: row[0])] = destination.role == nil ? destination.name : nil
            }
            return found
        }
    }
}

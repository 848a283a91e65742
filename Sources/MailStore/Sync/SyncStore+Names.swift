import Foundation
import GRDB
public import Models

/// What a source without UIDs needs: its names for messages, and its own note of a mailbox.
extension SyncStore {
    /// Which of these names the mailbox has.
    public func names(
        _ names: [String], of account: AccountID, mailbox: MailboxName
    ) throws(MailStoreError) -> Set<String> {
        guard !names.isEmpty else { return [] }
        return try file.reading { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT remote_name FROM placement
                    WHERE mailbox = (SELECT id FROM mailbox
                            WHERE name = ? AND account = (SELECT id FROM account WHERE name = ?))
                        AND remote_name IN (SELECT value FROM json_each(?))
                    """)
            return try String.fetchSet(
                statement,
                arguments: [
                    Data(mailbox.bytes), account.rawValue, JSONList.of(names.map(Packed.text)),
                ])
        }
    }

    /// Of a mailbox whose messages are the same as before.
    public func renewSignature(
        _ signature: String?, of account: AccountID, mailbox: MailboxName
    ) throws(MailStoreError) {
        try file.writing { db in
            try db.cachedStatement(
                sql: """
                    UPDATE mailbox SET signature = ?
                    WHERE name = ? AND account = (SELECT id FROM account WHERE name = ?)
                    """
            ).execute(arguments: [signature.map(Packed.text), Data(mailbox.bytes), account.rawValue])
        }
    }
}

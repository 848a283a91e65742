// Finds an account that was given another name in the settings.

import GRDB
public import Models

extension AccountStore {
    /// The account that showed the same mail under another name: a mailbox with the same name and the same UIDVALIDITY has a
    /// message of it in the same place. Asks only about the newest messages of each mailbox.
    ///
    /// - Parameters:
    ///   - account: The account with the new name.
    ///   - configured: All accounts of the settings. An account that is still there has not been renamed.
    /// - Returns: nil: no other account of the store showed this mail.
    /// - Throws: ``MailStoreError`` if the store cannot be read.
    public func earlierName(
        of account: AccountID, besides configured: [AccountID]
    ) throws(MailStoreError) -> AccountID? {
        try file.reading { db in
            try String.fetchOne(
                db,
                sql: """
                    SELECT former.name FROM account AS former
                        JOIN mailbox AS old ON old.account = former.id
                        JOIN account AS present ON present.name = ?1
                        JOIN mailbox ON mailbox.account = present.id AND mailbox.name = old.name
                            AND mailbox.uid_validity = old.uid_validity
                    WHERE former.name NOT IN (SELECT value FROM json_each(?2)) AND EXISTS (
                        SELECT 1 FROM (
                            SELECT uid, remote_name, message FROM placement WHERE placement.mailbox = old.id
                            ORDER BY uid DESC LIMIT 50
                        ) AS place
                            JOIN message AS earlier ON earlier.id = place.message
                            JOIN message ON message.account = present.id AND message.fingerprint = earlier.fingerprint
                            JOIN placement ON placement.message = message.id AND placement.mailbox = mailbox.id
                        WHERE CASE WHEN place.remote_name IS NULL THEN placement.uid = place.uid
                            ELSE placement.remote_name = place.remote_name END)
                    LIMIT 1
                    """,
                arguments: [account.rawValue, try JSONList.of((configured + [account]).map(\.rawValue))]
            ).map { AccountID($0) }
        }
    }
}

// Who files sent mail into Sent: found out once for each pair of servers, and remembered.

import GRDB
public import Models

/// Who puts the copy of a sent mail into the Sent mailbox.
public enum SentCopyKeeper: String, Sendable {
    /// What submits the mail files it, too; a copy of ours would be a second one.
    case server
    /// Nobody but us.
    case us
}

extension AccountStore {
    /// What is remembered for an account whose mail leaves by `route`; nil: nothing yet, or for other servers.
    public func sentCopyKeeper(
        of account: AccountID, route: String
    ) throws(MailStoreError) -> SentCopyKeeper? {
        try file.reading { db in
            try String.fetchOne(
                db,
                sql: """
                    SELECT keeper FROM sent_copy
                    WHERE account = (SELECT id FROM account WHERE name = ?) AND route = ?
                    """, arguments: [account.rawValue, Packed.text(route)]
            ).flatMap(SentCopyKeeper.init)
        }
    }

    /// `route`: the names of the two servers; with other ones it is found out anew.
    public func remember(
        _ keeper: SentCopyKeeper, of account: AccountID, route: String
    ) throws(MailStoreError) {
        try file.writing { db in
            try db.execute(
                sql: """
                    INSERT INTO sent_copy (account, route, keeper)
                    SELECT id, ?, ? FROM account WHERE name = ?
                    ON CONFLICT (account) DO UPDATE SET route = excluded.route, keeper = excluded.keeper
                    """, arguments: [Packed.text(route), keeper.rawValue, account.rawValue])
        }
    }
}

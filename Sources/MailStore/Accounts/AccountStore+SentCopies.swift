// Whether the server or opus files sent mail in Sent. Opus finds out for each pair of servers and remembers it.

import GRDB
public import Models

/// Whether the server or opus saves the copy of a sent mail in the Sent mailbox.
public enum SentCopyKeeper: String, Sendable {
    /// The submission server saved the copy of an earlier mail. A copy by opus would be a duplicate, so opus waits longer for
    /// the one of the server.
    case server
    /// The server saves no copy, so opus must.
    case us
}

extension AccountStore {
    /// Which of them saves the mail of the account that is sent by `route`. nil: opus has not found out yet, or
    /// only for other servers.
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

    /// `route`: the names of the two servers. For other servers, opus finds out again.
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

import Foundation
import GRDB
public import Models

/// Senders and their mail, for the screener.
public struct SenderStore: Sendable {
    let file: StoreFile

    /// Whether the screener has started.
    public func hasBegun(_ account: AccountID) throws(MailStoreError) -> Bool {
        try file.reading { db in
            try Bool.fetchOne(
                db,
                sql:
                    "SELECT EXISTS (SELECT 1 FROM screener WHERE account = (SELECT id FROM account WHERE name = ?))",
                arguments: [account.rawValue]) ?? false
        }
    }

    /// Starts the screener with the mail that arrives from now on; false: it had already started.
    public func begin(_ account: AccountID) throws(MailStoreError) -> Bool {
        guard try !hasBegun(account) else { return false }
        try file.writing { db in
            try db.execute(
                sql: "INSERT INTO screener (account, newest) SELECT ?, coalesce(max(id), 0) FROM message",
                arguments: [db.requireAccountRow(account)])
        }
        return true
    }

    /// Moves the start of the screener to now, if it has started.
    public func beginLater(_ account: AccountID) throws(MailStoreError) {
        let isLater = try file.reading { db in
            try Bool.fetchOne(
                db,
                sql: """
                    SELECT newest < (SELECT max(id) FROM message) FROM screener
                    WHERE account = (SELECT id FROM account WHERE name = ?)
                    """, arguments: [account.rawValue])
        }
        guard isLater == true else { return }
        try file.writing { db in
            try db.execute(
                sql: "UPDATE screener SET newest = (SELECT max(id) FROM message) WHERE account = ?",
                arguments: [db.requireAccountRow(account)])
        }
    }

    /// Messages in the inbox that arrived since the screener started, and that it has not moved before.
    public func unscreened(account: AccountID) throws(MailStoreError) -> [EmailID] {
        try file.reading { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT email_id FROM screener CROSS JOIN (
                        SELECT message FROM mailbox CROSS JOIN placement ON placement.mailbox = mailbox.id
                            WHERE account = (SELECT id FROM account WHERE name = ?1) AND role = 'inbox'
                                AND shown_mailbox IS NULL
                        UNION
                        SELECT message FROM mailbox CROSS JOIN placement ON shown_mailbox = mailbox.id
                            WHERE account = (SELECT id FROM account WHERE name = ?1) AND role = 'inbox'
                    ) AS held CROSS JOIN message ON message.id = held.message
                    WHERE screener.account = (SELECT id FROM account WHERE name = ?1)
                        AND held.message > screener.newest
                        AND NOT EXISTS (SELECT 1 FROM step
                            WHERE step.message = email_id AND cause = 'hand' AND verb = 'move'
                                AND rule IN ('screener', 'approve', 'deny')
                                AND state NOT IN ('rejected', 'cancelled'))
                    ORDER BY message.id
                    """, arguments: [account.rawValue]
            ).map { EmailID(rawValue: $0) }
        }
    }

    /// Remembers under this name the messages that came to another mailbox than the inbox since the last call, as if the
    /// screener had let them through: if one is in the inbox later, a person or a program put it there.
    public func noteOthersLetThrough(as mark: String, account: AccountID) throws(MailStoreError) {
        let hasNew = try file.reading { db in
            try Bool.fetchOne(
                db,
                sql: """
                    SELECT (SELECT max(id) FROM message) > coalesce(checked, newest) FROM screener
                    WHERE account = (SELECT id FROM account WHERE name = ?)
                    """, arguments: [account.rawValue])
        }
        guard hasNew == true else { return }
        try file.writing { db in
            let row = try db.requireAccountRow(account)
            try db.execute(
                sql: """
                    INSERT OR IGNORE INTO remembered (account, rule, message)
                        SELECT screener.account, ?2, message.id FROM screener
                            CROSS JOIN message ON message.id > coalesce(checked, newest)
                        WHERE screener.account = ?1 AND +message.account = ?1
                            AND EXISTS (SELECT 1 FROM placement WHERE placement.message = message.id)
                            AND NOT EXISTS (SELECT 1 FROM placement
                                JOIN mailbox ON mailbox.id IN (placement.mailbox, placement.shown_mailbox)
                                WHERE placement.message = message.id AND role = 'inbox')
                    """, arguments: [row, mark])
            try db.execute(
                sql: "UPDATE screener SET checked = (SELECT max(id) FROM message) WHERE account = ?",
                arguments: [row])
        }
    }

    /// Remembers under this name that the screener let these messages through.
    public func noteLetThrough(
        _ messages: [EmailID], as mark: String, account: AccountID
    ) throws(MailStoreError) {
        guard !messages.isEmpty else { return }
        try file.writing { db in
            let row = try db.requireAccountRow(account)
            let statement = try db.cachedStatement(
                sql: "INSERT OR IGNORE INTO remembered (account, rule, message) VALUES (?, ?, ?)")
            for message in messages {
                try statement.execute(arguments: [row, mark, db.requireMessageRow(message)])
            }
        }
    }

    /// Writers of mail from before the screener, by ``EmailAddress/comparable``. Trash and junk do not count, nor does
    /// `screener`, the mailbox of held mail: after the store was lost, held mail is older than the screener.
    public func earlierWriters(
        among writers: Set<String>, account: AccountID, besides screener: MailboxName? = nil
    ) throws(MailStoreError) -> Set<String> {
        guard !writers.isEmpty else { return [] }
        return try file.reading { db in
            let rows = try String.fetchCursor(
                db,
                sql: """
                    SELECT addresses FROM message
                    JOIN screener ON screener.account = message.account AND message.id <= screener.newest
                    WHERE message.account = (SELECT id FROM account WHERE name = ?)
                        AND EXISTS (SELECT 1 FROM placement JOIN mailbox ON mailbox.id = placement.mailbox
                            WHERE placement.message = message.id AND coalesce(role, '') NOT IN ('trash', 'junk')
                                AND mailbox.name <> ?)
                    """, arguments: [account.rawValue, Data(screener?.bytes ?? [])])
            var found: Set<String> = []
            while let row = try rows.next() {
                if let writer = Packed.firstWriter(row), writers.contains(writer) { found.insert(writer) }
            }
            return found
        }
    }

    /// For each address, the name that its latest message used; if it wrote none, the name to which the user wrote last.
    /// `own`: the addresses of the user.
    public func names(
        of writers: Set<String>, own: Set<String>, account: AccountID
    ) throws(MailStoreError) -> [EmailAddress] {
        guard !writers.isEmpty else { return [] }
        return try file.reading { db in
            let rows = try String.fetchCursor(
                db,
                sql:
                    "SELECT addresses FROM message WHERE account = (SELECT id FROM account WHERE name = ?) ORDER BY id",
                arguments: [account.rawValue])
            var (found, named): ([String: EmailAddress], [String: EmailAddress]) = ([:], [:])
            while let row = try rows.next() {
                guard let writer = Packed.firstWriter(row), writers.contains(writer) || own.contains(writer)
                else { continue }
                let addresses: Packed.Addresses = Packed.addresses(row)
                if let first = addresses.from.first, !first.displayName.isEmpty { found[writer] = first }
                guard own.contains(writer) else { continue }
                for person in addresses.to + addresses.cc where !person.displayName.isEmpty {
                    if writers.contains(person.comparable) { named[person.comparable] = person }
                }
            }
            found.merge(named) { first, _ in first }
            return found.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    /// The newest first.
    public func history(limit: Int) throws(MailStoreError) -> [SenderRecord] {
        try file.reading { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT coalesce(run.part_of, run.id), run.started_at, account.name, step.cause, step.rule, step.kind,
                        EXISTS (\(RuleStore.effectiveInverse("step")))
                    FROM step JOIN run ON run.id = step.run JOIN account ON account.id = run.account
                    WHERE verb = 'list' AND state = 'confirmed' AND step.cause <> 'undo'
                    ORDER BY step.id DESC LIMIT ?
                    """, arguments: [limit])
            return try rows.compactMap { row in
                guard case .list(let list, let entry, let isListed) = try StepRecord.kind(row[5]),
                    let cause = Step.Cause(column: row[3], rule: row[4])
                else { return nil }
                return SenderRecord(
                    run: RunID(rawValue: row[0]), at: Timestamp(seconds: row[1]), account: AccountID(row[2]),
                    cause: cause, list: list, entry: entry, isListed: isListed, isUndone: row[6])
            }
        }
    }
}

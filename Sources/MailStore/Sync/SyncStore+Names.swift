import Foundation
import GRDB
public import Models

/// A place as the comparison of a whole mailbox needs it: without the message that is there.
public struct KnownPlace: Hashable, Sendable {
    public var marks: MessageMarks
    /// A Maildir file's unique name.
    public var remoteName: String?
}

/// What the comparison with a source needs: its names for messages, their marks, and its own note of a mailbox.
extension SyncStore {
    /// All places of the mailbox, ascending by UID. No message is read.
    public func places(of account: AccountID, mailbox: MailboxName) throws(MailStoreError) -> [KnownPlace] {
        try file.reading { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT uid, flags, keywords, remote_name FROM placement
                    WHERE mailbox = (SELECT id FROM mailbox
                        WHERE name = ? AND account = (SELECT id FROM account WHERE name = ?))
                    ORDER BY uid
                    """)
            let rows = try Row.fetchCursor(statement, arguments: [Data(mailbox.bytes), account.rawValue])
            let raw = RawRow(statement: statement.sqliteStatement)
            var flags: [Int64: Set<Flag>] = [:]
            var keywords = Repeats<Set<Keyword>>(64)
            var places: [KnownPlace] = []
            while try rows.next() != nil {
                let bits = raw.int(1)
                let marked = flags[bits] ?? Packed.flags(bits)
                flags[bits] = marked
                let labels = keywords.value(raw.bytes(2)) {
                    Packed.keywords(String(decoding: $0, as: UTF8.self))
                }
                places.append(
                    KnownPlace(
                        marks: MessageMarks(
                            uid: UInt32(truncatingIfNeeded: raw.int(0)), flags: marked, keywords: labels),
                        remoteName: raw.isNull(3) ? nil : raw.text(3)))
            }
            return places
        }
    }

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

    /// Replaces the signature of a mailbox whose messages have not changed.
    public func renewSignature(
        _ signature: String?, of account: AccountID, mailbox: MailboxName
    ) throws(MailStoreError) {
        try file.writingSoon { db in
            try db.cachedStatement(
                sql: """
                    UPDATE mailbox SET signature = ?
                    WHERE name = ? AND account = (SELECT id FROM account WHERE name = ?)
                    """
            ).execute(arguments: [signature.map(Packed.text), Data(mailbox.bytes), account.rawValue])
        }
    }
}

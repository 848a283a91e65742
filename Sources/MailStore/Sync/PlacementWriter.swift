import Foundation
import GRDB
import Models

/// Puts messages into mailboxes and removes them. Only this type writes `placement`, except the columns `shown_*`, which
/// ``Overlay`` writes.
///
/// Syncs and confirmed moves share it. UID 0 requests the next UID of the mailbox, because a Maildir has no UIDs.
/// A UID is never used twice.
struct PlacementWriter {
    struct Marks {
        var flags: Int64
        var keywords: String
        var remoteName: String?

        init(flags: Int64, keywords: String, remoteName: String?) {
            self.flags = flags
            self.keywords = keywords
            self.remoteName = remoteName
        }

        init(flags: Set<Flag>, keywords: Set<Keyword>, remoteName: String? = nil) {
            self.flags = Packed.flags(flags)
            self.keywords = Packed.keywords(keywords)
            self.remoteName = remoteName.map(Packed.text)
        }
    }

    /// Marks that change; nil: unchanged.
    struct Change {
        var flags: Int64?
        var keywords: String?
        var remoteName: String?

        init(flags: Set<Flag>?, keywords: Set<Keyword>?, remoteName: String?) {
            self.flags = flags.map { Packed.flags($0) }
            self.keywords = keywords.map { Packed.keywords($0) }
            self.remoteName = remoteName.map(Packed.text)
        }

        func applied(to marks: Marks) -> Marks {
            Marks(
                flags: flags ?? marks.flags, keywords: keywords ?? marks.keywords,
                remoteName: remoteName ?? marks.remoteName)
        }
    }

    /// The content of a place that was cleared.
    struct Taken {
        var message: Int64
        var marks: Marks
    }

    let db: Database

    /// Writes or overwrites a place. False: the place already had these values.
    @discardableResult
    func put(message: Int64, mailbox: Int64, uid: UInt32, marks: Marks) throws -> Bool {
        let uid = try uid == 0 ? knownUID(mailbox: mailbox, marks: marks) : Int64(uid)
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO placement (mailbox, uid, message, flags, keywords, remote_name, judged)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, (SELECT coalesce(sent, received) FROM message WHERE id = ?3))
                ON CONFLICT (mailbox, uid) DO UPDATE SET message = excluded.message, judged = excluded.judged,
                    flags = excluded.flags,
                    keywords = excluded.keywords, remote_name = coalesce(excluded.remote_name, remote_name)
                WHERE message <> excluded.message OR flags <> excluded.flags
                    OR keywords <> excluded.keywords
                    OR remote_name IS NOT coalesce(excluded.remote_name, remote_name)
                """)
        try statement.execute(
            arguments: [mailbox, uid, message, marks.flags, marks.keywords, marks.remoteName])
        return db.changesCount > 0
    }

    /// The UID that the store has for the file; otherwise the next UID.
    private func knownUID(mailbox: Int64, marks: Marks) throws -> Int64 {
        if let name = marks.remoteName {
            let statement = try db.cachedStatement(
                sql: "SELECT uid FROM placement WHERE mailbox = ? AND remote_name = ?")
            if let uid = try Int64.fetchOne(statement, arguments: [mailbox, name]) { return uid }
            if let uid = try EarlierStore(db)?.uid(of: name, mailbox: mailbox) { return uid }
        }
        let statement = try db.cachedStatement(
            sql: """
                UPDATE mailbox SET own_uid_next = 1 + max(
                    own_uid_next, 1 + coalesce((SELECT max(uid) FROM placement WHERE mailbox = ?1), 0))
                WHERE id = ?1 RETURNING own_uid_next - 1
                """)
        return try Int64.fetchOne(statement, arguments: [mailbox]) ?? 1
    }

    /// Whether the mailbox holds the message at any place.
    func holds(_ mailbox: Int64, message: Int64) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: "SELECT 1 FROM placement WHERE message = ? AND mailbox = ?")
        return try Int.fetchOne(statement, arguments: [message, mailbox]) != nil
    }

    func uids(of message: Int64, mailbox: Int64) throws -> [UInt32] {
        let statement = try db.cachedStatement(
            sql: "SELECT uid FROM placement WHERE message = ? AND mailbox = ?")
        return try UInt32.fetchAll(statement, arguments: [message, mailbox])
    }

    func take(mailbox: Int64, uid: UInt32) throws -> Taken? {
        let statement = try db.cachedStatement(
            sql: """
                DELETE FROM placement WHERE mailbox = ? AND uid = ?
                RETURNING message, flags, keywords, remote_name
                """)
        guard let row = try Row.fetchOne(statement, arguments: [mailbox, Int64(uid)]) else { return nil }
        let taken = Taken(message: row[0], marks: Marks(flags: row[1], keywords: row[2], remoteName: row[3]))
        try db.cachedStatement(sql: Self.noteLoss + "VALUES (?, NULL)" + Self.startsAgain)
            .execute(arguments: [taken.message])
        return taken
    }

    /// Moves a place to another mailbox, under the UID that the message has there. Returns false and changes nothing if
    /// the place is empty, the new place is occupied, or its UID is not assigned yet (0).
    func move(
        mailbox: Int64, uid: UInt32, to destination: Int64, uid newUID: UInt32, _ change: Change
    ) throws -> Bool {
        guard newUID != 0 else { return false }
        let statement = try db.cachedStatement(
            sql: """
                UPDATE OR IGNORE placement SET mailbox = ?3, uid = ?4, flags = coalesce(?5, flags),
                    keywords = coalesce(?6, keywords), remote_name = coalesce(?7, remote_name),
                    shown_mailbox = NULL, shown_flags = NULL, shown_keywords = NULL
                WHERE mailbox = ?1 AND uid = ?2
                """)
        try statement.execute(arguments: [
            mailbox, Int64(uid), destination, Int64(newUID), change.flags, change.keywords, change.remoteName,
        ])
        return db.changesCount > 0
    }

    /// ``MessageStore/cleanUp(now:limit:)`` later checks messages that may have lost their last place.
    private static let noteLoss = "INSERT INTO unplaced (message, since) "
    private static let startsAgain = " ON CONFLICT (message) DO UPDATE SET since = NULL"

    /// Whether the place exists and its marks have changed.
    func setMarks(mailbox: Int64, uid: UInt32, flags: Set<Flag>, keywords: Set<Keyword>) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: """
                UPDATE placement SET flags = ?3, keywords = ?4
                WHERE mailbox = ?1 AND uid = ?2 AND (flags <> ?3 OR keywords <> ?4)
                """)
        try statement.execute(
            arguments: [mailbox, Int64(uid), Packed.flags(flags), Packed.keywords(keywords)])
        return db.changesCount > 0
    }

    /// nil: the store has no such place.
    func storedMarks(mailbox: Int64, uid: UInt32) throws -> Marks? {
        let statement = try db.cachedStatement(
            sql: "SELECT flags, keywords, remote_name FROM placement WHERE mailbox = ? AND uid = ?")
        return try Row.fetchOne(statement, arguments: [mailbox, Int64(uid)]).map { row in
            Marks(flags: row[0], keywords: row[1], remoteName: row[2])
        }
    }

    func marks(mailbox: Int64, uid: UInt32) throws -> (flags: Set<Flag>, keywords: Set<Keyword>)? {
        let statement = try db.cachedStatement(
            sql: "SELECT flags, keywords FROM placement WHERE mailbox = ? AND uid = ?")
        guard let row = try Row.fetchOne(statement, arguments: [mailbox, Int64(uid)]) else { return nil }
        return (Packed.flags(row[0] as Int64), Packed.keywords(row[1] as String))
    }

    /// Removes all places of the mailbox; the messages stay.
    func reset(mailbox: Int64) throws {
        try db.cachedStatement(
            sql: "\(Self.noteLoss) SELECT message, NULL FROM placement WHERE mailbox = ? \(Self.startsAgain)"
        ).execute(arguments: [mailbox])
        try db.cachedStatement(sql: "DELETE FROM placement WHERE mailbox = ?").execute(arguments: [mailbox])
        try db.cachedStatement(sql: "DELETE FROM place_witness WHERE mailbox = ?").execute(
            arguments: [mailbox])
        let statement = try db.cachedStatement(
            sql: """
                UPDATE mailbox SET uid_next = 1, highest_mod_seq = NULL, exists_count = 0, signature = NULL,
                    synced_at = NULL, compared_at = NULL, window_since = NULL, identified_at = NULL
                WHERE id = ?
                """)
        try statement.execute(arguments: [mailbox])
    }

    /// Every recipient of a message in the mailbox becomes a correspondent.
    func rememberRecipients(ofMailbox mailbox: Int64, account: Int64) throws {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT addresses, headers FROM message JOIN content ON content.message = message.id
                WHERE message.id IN (SELECT message FROM placement WHERE mailbox = ?)
                """, arguments: [mailbox])
        while let row = try rows.next() {
            let addresses: Packed.Addresses = Packed.addresses(row[0] as String)
            try rememberRecipients(
                addresses.to + addresses.cc, of: Array(row[1] as Data), account: account)
        }
    }

    /// The recipient of an automatic reply does not become a correspondent.
    func rememberRecipients(_ recipients: [EmailAddress], of header: [UInt8], account: Int64) throws {
        guard !AutomaticReply.isSaid(by: header) else { return }
        try rememberRecipients(recipients, account: account)
    }

    private func rememberRecipients(_ recipients: [EmailAddress], account: Int64) throws {
        let statement = try db.cachedStatement(
            sql: "INSERT OR IGNORE INTO correspondent (account, address) VALUES (?, ?)")
        for recipient in recipients {
            try statement.execute(arguments: [account, Packed.text(recipient.comparable)])
        }
    }
}

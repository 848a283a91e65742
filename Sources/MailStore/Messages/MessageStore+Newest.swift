import GRDB
public import Models

/// The beginning of a list: only the messages that are shown, without reading the others.
extension MessageStore {
    /// The newest messages of the mailboxes, as in ``facts(_:including:decodeHeaders:)``; at most `limit`.
    public func newest(_ limit: Int, _ selection: FactSelection) throws(MailStoreError) -> [MessageFacts] {
        try file.reading { db in
            let mailboxes = try db.allMailboxes()
            let wanted = mailboxes.filter { selection.takes($0.value) }.keys.sorted()
            let places = try NewestPlaces(db: db).of(wanted, limit: max(0, limit))
            return try FactReader(db: db, mailboxes: mailboxes, parts: []).read(places)
        }
    }
}

/// A place by its row number: the mailbox and the UID.
struct PlaceRow {
    var mailbox: Int64
    var uid: Int64
}

/// Places in the order of their messages, the newest first.
private struct NewestPlaces {
    let db: Database

    func of(_ mailboxes: [Int64], limit: Int) throws -> [PlaceRow] {
        var found: [(judged: Int64, place: PlaceRow)] = []
        for mailbox in mailboxes {
            // Excludes what open steps move elsewhere, and includes what they move here.
            for statement in [try own(), try moved()] {
                let rows = try Row.fetchCursor(statement, arguments: [mailbox, limit])
                while let row = try rows.next() {
                    found.append((row[0] as Int64? ?? 0, PlaceRow(mailbox: row[1], uid: row[2])))
                }
            }
        }
        found.sort { $0.judged > $1.judged }
        return found.prefix(limit).map(\.place)
    }

    private func own() throws -> Statement {
        try db.cachedStatement(
            sql: """
                SELECT judged, mailbox, uid FROM placement INDEXED BY placement_newest
                WHERE mailbox = ? AND shown_mailbox IS NULL ORDER BY judged DESC, uid DESC LIMIT ?
                """)
    }

    private func moved() throws -> Statement {
        try db.cachedStatement(
            sql: """
                SELECT judged, mailbox, uid FROM placement INDEXED BY placement_shown
                WHERE shown_mailbox = ? ORDER BY judged DESC LIMIT ?
                """)
    }
}

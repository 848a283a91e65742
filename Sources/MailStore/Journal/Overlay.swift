import Foundation
import GRDB
import Models

/// Shows a message's places as they will be after its open steps, so that users and rules see changes at once.
///
/// The places themselves stay as the account last reported them, and a sync compares only those. Whenever a step of the
/// message is added or ends, opus computes the columns `shown_*` again from the journal. A step that the server refused,
/// for now or for good, is not replayed: its message is shown where it is.
struct Overlay {
    let db: Database
    let mailboxes: MailboxRows

    init(db: Database, mailboxes: MailboxRows? = nil) {
        self.db = db
        self.mailboxes = mailboxes ?? MailboxRows(db: db)
    }

    /// Replays the messages' open steps, in journal order, over their places.
    func refresh(_ messages: [EmailID]) throws {
        for start in stride(from: 0, to: messages.count, by: Self.chunk) {
            let ids = try JSONList.of(
                messages[start..<min(start + Self.chunk, messages.count)].map(\.rawValue))
            let steps = try openSteps(ids)
            try forEachMessage(ids) { message, places in
                var shown = places.map { Place($0) }
                for step in steps[message] ?? [] { try replay(step, &shown) }
                for (place, stored) in zip(shown, places) where place != stored { try write(place) }
            }
        }
    }

    /// Refreshes every message with open steps in a mailbox whose places were rewritten.
    func refreshAll(of account: Int64, in mailbox: Int64) throws {
        let messages = try String.fetchAll(
            db,
            sql: """
                SELECT DISTINCT step.message FROM step
                JOIN message ON message.email_id = step.message
                JOIN placement ON placement.message = message.id AND placement.mailbox = ?2
                WHERE state IN ('planned', 'ready', 'issued', 'unknown', 'reconciling') AND step.account = ?1
                """, arguments: [account, mailbox])
        try refresh(messages.map { EmailID(rawValue: $0) })
    }

    /// How many messages one query reads.
    private static let chunk = 1_000

    private struct Place: Equatable {
        var mailbox: Int64
        var uid: UInt32
        var ownFlags: Int64
        var ownKeywords: String
        var shown: Int64?
        var flags: Int64?
        var keywords: String?

        init(_ row: Row) {
            mailbox = row[1]
            uid = row.uid32(2) ?? 0
            ownFlags = row[3]
            ownKeywords = row[4]
            shown = row[5]
            flags = row[6]
            keywords = row[7]
        }

        /// As the account has it, with no step replayed.
        init(_ stored: Place) {
            self = stored
            (shown, flags, keywords) = (nil, nil, nil)
        }
    }

    private func replay(_ step: Step, _ places: inout [Place]) throws {
        switch step.kind {
        case .store(let key, let addFlags, let removeFlags, let addKeywords, let removeKeywords):
            guard let index = try place(key, among: places) else { return }
            let flags = Packed.flags(places[index].flags ?? places[index].ownFlags)
            places[index].flags = Packed.flags(flags.union(addFlags).subtracting(removeFlags))
            let keywords = Packed.keywords(places[index].keywords ?? places[index].ownKeywords)
            places[index].keywords = Packed.keywords(
                keywords.union(addKeywords).subtracting(removeKeywords))
        case .move(let key, let destination):
            guard let index = try place(key, among: places),
                let source = try mailboxes.row(key.mailbox, of: key.account),
                !ResultWriter.keepsOriginal(source, destination)
            else { return }
            places[index].shown = try mailboxes.require(destination.name, of: key.account).id
        case .createTodo, .updateTodo, .removeTodo, .restoreTodo, .append, .submit, .remove, .wait,
            .saveFile, .removeFile, .list, .createMailbox,
            .editThreads:
            return
        }
    }

    /// The place for a key. After a change of UIDVALIDITY or a move by opus, it is the message's place in
    /// that mailbox.
    private func place(_ key: MessageKey, among places: [Place]) throws -> Int? {
        guard let mailbox = try mailboxes.row(key.mailbox, of: key.account) else { return nil }
        let exact = places.firstIndex {
            $0.mailbox == mailbox.id && $0.uid == key.uid && mailbox.uidValidity == key.uidValidity
        }
        return exact ?? places.firstIndex { ($0.shown ?? $0.mailbox) == mailbox.id }
    }

    // MARK: Rows

    private func openSteps(_ ids: String) throws -> [EmailID: [Step]] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(StepRow.columns) FROM step
                WHERE message IN (SELECT value FROM json_each(?))
                    AND state IN ('ready', 'issued', 'unknown', 'reconciling')
                    AND NOT (state = 'ready' AND error IS NOT NULL)
                ORDER BY step.id
                """)
        let steps = try StepRow.steps(try Row.fetchCursor(statement, arguments: [ids]))
        return Dictionary(grouping: steps) { $0.message ?? EmailID(rawValue: "") }
    }

    private func forEachMessage(_ ids: String, _ body: (EmailID, [Place]) throws -> Void) throws {
        let statement = try db.cachedStatement(
            sql: """
                SELECT email_id, mailbox, uid, flags, keywords, shown_mailbox, shown_flags, shown_keywords
                FROM message JOIN placement ON placement.message = message.id
                WHERE email_id IN (SELECT value FROM json_each(?)) ORDER BY message.id, mailbox, uid
                """)
        // Read all rows first: opus must not write to the table while it reads it.
        var (messages, places): ([String], [[Place]]) = ([], [])
        let rows = try Row.fetchCursor(statement, arguments: [ids])
        while let row = try rows.next() {
            let message = row[0] as String
            if messages.last != message {
                messages.append(message)
                places.append([])
            }
            places[places.count - 1].append(Place(row))
        }
        for (message, places) in zip(messages, places) { try body(EmailID(rawValue: message), places) }
    }

    private func write(_ place: Place) throws {
        try db.cachedStatement(
            sql: """
                UPDATE placement SET shown_mailbox = ?3, shown_flags = ?4, shown_keywords = ?5
                WHERE mailbox = ?1 AND uid = ?2
                """
        ).execute(arguments: [
            place.mailbox, Int64(place.uid), place.shown, place.flags, place.keywords,
        ])
    }
}

/// What open steps will have made of a message's places: local first, for people and rules.
///
/// The places themselves stay as the account last showed them, and a sync compares only those. The columns `shown_*`
/// are written anew from the journal whenever a step of the message comes or goes: what is refused for good is taken
/// back by being no longer replayed.

import Foundation
import GRDB
import Models

struct Overlay {
    let db: Database

    /// Replays the message's open steps, in journal order, over its places.
    func refresh(_ message: EmailID) throws {
        guard let row = try db.messageRow(message) else { return }
        var places = try places(of: row)
        guard !places.isEmpty else { return }
        for step in try openSteps(on: message) {
            switch step.kind {
            case .store(let key, let addFlags, let removeFlags, let addKeywords, let removeKeywords):
                guard let index = try place(key, among: places) else { continue }
                let flags = places[index].flags ?? places[index].ownFlags
                places[index].flags = flags.union(addFlags).subtracting(removeFlags)
                let keywords = places[index].keywords ?? places[index].ownKeywords
                places[index].keywords = keywords.union(addKeywords).subtracting(removeKeywords)
            case .move(let key, let destination):
                guard let index = try place(key, among: places),
                    let account = try db.accountRow(key.account),
                    let source = try db.mailboxRow(key.mailbox, account: account),
                    !ResultWriter.keepsWhatIsMoved(source, destination)
                else { continue }
                places[index].shown = try db.requireMailboxRow(destination.name, account: account).id
            case .createTodo, .updateTodo, .removeTodo, .restoreTodo, .append, .submit, .remove, .wait,
                .saveFile, .removeFile:
                continue
            }
        }
        for place in places { try write(place) }
    }

    /// Every message with open steps in a mailbox whose places were written anew.
    func refreshAll(of account: Int64, in mailbox: Int64) throws {
        let messages = try String.fetchAll(
            db,
            sql: """
                SELECT DISTINCT step.message FROM step
                JOIN message ON message.email_id = step.message
                JOIN placement ON placement.message = message.id AND placement.mailbox = ?2
                WHERE state IN ('planned', 'ready', 'issued', 'unknown', 'reconciling') AND step.account = ?1
                """, arguments: [account, mailbox])
        for message in messages { try refresh(EmailID(rawValue: message)) }
    }

    private struct Place {
        var mailbox: Int64
        var uid: UInt32
        var ownFlags: Set<Flag>
        var ownKeywords: Set<Keyword>
        var shown: Int64?
        var flags: Set<Flag>?
        var keywords: Set<Keyword>?
    }

    private func places(of message: Int64) throws -> [Place] {
        let statement = try db.cachedStatement(
            sql: "SELECT mailbox, uid, flags, keywords FROM placement WHERE message = ? ORDER BY mailbox, uid"
        )
        return try Row.fetchAll(statement, arguments: [message]).map {
            Place(
                mailbox: $0[0], uid: $0.uid32(1) ?? 0, ownFlags: Packed.flags($0[2] as Int64),
                ownKeywords: Packed.keywords($0[3] as String))
        }
    }

    private func openSteps(on message: EmailID) throws -> [Step] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(StepRow.columns) FROM step
                WHERE message = ? AND state IN ('ready', 'issued', 'unknown', 'reconciling') ORDER BY id
                """)
        return try MailStore.steps(try Row.fetchCursor(statement, arguments: [message.rawValue]))
    }

    /// The place that a key names; under another UIDVALIDITY, or after a move of ours, the one in that mailbox.
    private func place(_ key: MessageKey, among places: [Place]) throws -> Int? {
        guard let account = try db.accountRow(key.account),
            let mailbox = try db.mailboxRow(key.mailbox, account: account)
        else { return nil }
        let exact = places.firstIndex {
            $0.mailbox == mailbox.id && $0.uid == key.uid && mailbox.uidValidity == key.uidValidity
        }
        return exact ?? places.firstIndex { ($0.shown ?? $0.mailbox) == mailbox.id }
    }

    private func write(_ place: Place) throws {
        try db.cachedStatement(
            sql: """
                UPDATE placement SET shown_mailbox = ?3, shown_flags = ?4, shown_keywords = ?5
                WHERE mailbox = ?1 AND uid = ?2 AND (shown_mailbox IS NOT ?3 OR shown_flags IS NOT ?4
                    OR shown_keywords IS NOT ?5)
                """
        ).execute(arguments: [
            place.mailbox, Int64(place.uid), place.shown, place.flags.map { Packed.flags($0) },
            place.keywords.map { Packed.keywords($0) },
        ])
    }
}

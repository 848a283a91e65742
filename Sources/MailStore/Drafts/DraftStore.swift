import Foundation
import GRDB
public import Models

/// Drafts. Opus saves them here first, so no typed text depends on a server.
public struct DraftStore: Sendable {
    let file: StoreFile

    /// Saves a new or changed draft; it is on disk when this returns. Returns it with its row number.
    @discardableResult
    public func save(_ draft: StoredDraft) throws(MailStoreError) -> StoredDraft {
        try file.writing { db in try Self.save(db, draft) }
    }

    /// The same for a draft that is in the store, unless another process has changed, sent or removed it. `revision`: the
    /// version that it replaces. nil: it was not saved.
    public func save(
        _ draft: StoredDraft, over revision: Int
    ) throws(MailStoreError) -> StoredDraft? {
        try file.writing { db in
            let now = try Self.draftRows(db, "draft.message_id = ?", [draft.messageID.rawValue]).first
            guard let now, now.revision == revision,
                now.submission.map({ [.rejected, .cancelled].contains($0.state) }) ?? true
            else { return nil }
            return try Self.save(db, draft)
        }
    }

    private static func save(_ db: Database, _ draft: StoredDraft) throws -> StoredDraft {
        let account = try db.requireAccountRow(draft.account)
        try db.cachedStatement(
            sql: """
                INSERT INTO draft (account, message_id, revision, saved_at, content, typed, answers,
                    pushed_revision, pushed_message, pushed_uid, submission, versions, pushed_token)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (message_id) DO UPDATE SET account = excluded.account,
                    revision = excluded.revision, saved_at = excluded.saved_at, content = excluded.content, typed = excluded.typed,
                    answers = excluded.answers, pushed_revision = excluded.pushed_revision,
                    pushed_message = excluded.pushed_message, pushed_uid = excluded.pushed_uid,
                    submission = excluded.submission, versions = excluded.versions,
                    pushed_token = excluded.pushed_token
                """
        ).execute(arguments: [
            account, draft.messageID.rawValue, draft.revision, draft.savedAt.seconds, Data(draft.content),
            draft.typed.map(Packed.text), draft.answers?.rawValue, draft.pushed?.revision,
            draft.pushed?.message?.rawValue, draft.pushed.map { Int64($0.uid) }, draft.submission?.step,
            String(decoding: try JSONEncoder().encode(draft.versions), as: UTF8.self),
            draft.pushed?.token?.rawValue,
        ])
        guard let row = try draftRows(db, "draft.message_id = ?", [draft.messageID.rawValue]).first
        else { throw MailStoreError.corrupt(reason: "a draft was not saved") }
        return row
    }

    /// Every draft of an account, the latest first, including those that are being sent.
    public func drafts(of account: AccountID) throws(MailStoreError) -> [StoredDraft] {
        try file.reading { db in try Self.draftRows(db, "account.name = ?", [account.rawValue]) }
    }

    /// Notes which step sends the draft, unless another process changed or removed it.
    ///
    /// - Returns: Whether it is still the version that the step sends.
    public func setSubmission(_ step: Int64, of draft: StoredDraft) throws(MailStoreError) -> Bool {
        try file.writing { db in
            try db.execute(
                sql: """
                    UPDATE draft SET submission = ?
                    WHERE message_id = ? AND revision = ? AND content = ? AND typed IS NULL
                    """,
                arguments: [step, draft.messageID.rawValue, draft.revision, Data(draft.content)])
            return db.changesCount > 0
        }
    }

    /// No step sends the draft any more.
    public func removeSubmission(of draft: MessageID) throws(MailStoreError) {
        try file.writing { db in
            try db.execute(
                sql: "UPDATE draft SET submission = NULL WHERE message_id = ?", arguments: [draft.rawValue])
        }
    }

    /// The steps that put, or were meant to put, a message with this Message-ID into a mailbox, with the
    /// bytes of the message.
    public func appends(
        of token: MessageID, account: AccountID
    ) throws(MailStoreError) -> [Step] {
        try file.reading { db in
            try StepRow.steps(
                try Row.fetchCursor(
                    db,
                    sql: """
                        SELECT \(StepRow.columns) FROM step
                        WHERE verb = 'append' AND token = ?
                            AND account = (SELECT id FROM account WHERE name = ?)
                        """, arguments: [Packed.text(token.rawValue), account.rawValue]))
        }
    }

    public func removeDraft(_ messageID: MessageID) throws(MailStoreError) {
        try file.writing { db in
            try db.execute(sql: "DELETE FROM draft WHERE message_id = ?", arguments: [messageID.rawValue])
        }
    }

    private static func draftRows(
        _ db: Database, _ condition: String, _ arguments: StatementArguments
    ) throws -> [StoredDraft] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT draft.id, account.name, message_id, revision, saved_at, content, typed, answers,
                    pushed_revision, pushed_message, pushed_uid, submission, step.state, versions,
                    pushed_token
                FROM draft JOIN account ON account.id = draft.account
                LEFT JOIN step ON step.id = draft.submission
                WHERE \(condition) ORDER BY saved_at DESC, draft.id DESC
                """, arguments: arguments
        ).map { row in
            var draft = StoredDraft(
                account: AccountID(row[1]), messageID: MessageID(row[2]), savedAt: Timestamp(seconds: row[4]),
                content: row.bytes(5))
            draft.id = row[0]
            draft.revision = row[3]
            draft.typed = row[6]
            draft.answers = (row[7] as String?).map { EmailID(rawValue: $0) }
            if let revision = row[8] as Int? {
                draft.pushed = .init(
                    revision: revision, message: (row[9] as String?).map { EmailID(rawValue: $0) },
                    uid: row.uid32(10) ?? 0, token: (row[14] as String?).map { MessageID($0) })
            }
            if let step = row[11] as Int64?, let state = (row[12] as String?).flatMap(Step.State.init) {
                draft.submission = .init(step: step, state: state)
            }
            draft.versions = try Self.versions(row[13])
            return draft
        }
    }

    static func versions(_ json: String) throws -> DraftVersions {
        try JSONDecoder().decode(DraftVersions.self, from: Data(json.utf8))
    }

    /// Whether a mail was sent whose draft this message is. A server may have refused to remove the message since, or the user
    /// may have moved it back from the trash.
    public func isSent(_ draft: EmailID, account: AccountID) throws(MailStoreError) -> Bool {
        try file.reading { db in
            try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM step WHERE message = ? AND verb = 'submit' AND state = 'confirmed'
                        AND account = (SELECT id FROM account WHERE name = ?))
                    """, arguments: [draft.rawValue, account.rawValue]) == true
        }
    }

    /// The next version of this draft, or the mail that was sent in its place: what the runs appended or sent that removed it.
    public func successors(of token: MessageID, account: AccountID) throws(MailStoreError)
        -> [MessageID]
    {
        try file.reading { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT DISTINCT next.token FROM step AS removal
                    CROSS JOIN step AS next ON next.run = removal.run AND next.account = removal.account
                    WHERE removal.token = ?1 AND removal.verb = 'remove' AND removal.state NOT IN ('rejected', 'cancelled')
                        AND removal.account = (SELECT id FROM account WHERE name = ?2)
                        AND next.verb IN ('append', 'submit') AND next.state = 'confirmed' AND next.token <> ?1
                    """, arguments: [token.rawValue, account.rawValue]
            ).map { MessageID($0) }
        }
    }
}

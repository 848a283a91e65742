import GRDB
public import Models

/// The text of attached files: the extracted texts, and the messages that are still to be read.
public struct FileTextStore: Sendable {
    let file: StoreFile

    /// A message whose files were not read yet.
    public struct Due: Hashable, Sendable {
        public var id: EmailID
        /// Bytes of the whole message.
        public var size: Int
        public var attachments: [Attachment]
    }

    /// Notes which kinds of files can be read now. Messages with a file of a kind that could not be read
    /// before are due again; their texts stay until then.
    public func note(
        readable kinds: Set<String>, kind: (Attachment) -> String?
    ) throws(MailStoreError) {
        let known = try file.reading { db in
            Set(try String.fetchAll(db.cachedStatement(sql: "SELECT kind FROM file_text_kind")))
        }
        guard known != kinds else { return }
        let added = kinds.subtracting(known)
        try file.writing { db in
            if !added.isEmpty {
                let sql = """
                    SELECT message, attachments FROM file_text JOIN message ON message.id = message
                    WHERE NOT is_due
                    """
                for row in try Row.fetchAll(db, sql: sql)
                where Packed.attachments(row[1] as String).contains(where: {
                    kind($0).map(added.contains) ?? false
                }) {
                    try db.cachedStatement(sql: "UPDATE file_text SET is_due = 1 WHERE message = ?")
                        .execute(arguments: [row[0] as Int64])
                }
            }
            try db.execute(sql: "DELETE FROM file_text_kind")
            for kind in kinds.sorted() {
                try db.cachedStatement(sql: "INSERT INTO file_text_kind (kind) VALUES (?)")
                    .execute(arguments: [kind])
            }
        }
    }

    /// The newest messages in a mailbox whose files were not read yet, or are to be read again.
    public func due(of account: AccountID, limit: Int) throws(MailStoreError) -> [Due] {
        try file.reading { db in
            guard let owner = try db.accountRow(account) else { return [] }
            let sql = """
                SELECT email_id, size, attachments FROM message
                WHERE account = ?1 AND attachments <> ''
                    AND NOT EXISTS (SELECT 1 FROM file_text WHERE message = message.id AND NOT is_due)
                    AND EXISTS (SELECT 1 FROM placement JOIN mailbox ON mailbox.id = placement.mailbox
                        WHERE placement.message = message.id AND NOT is_missing)
                ORDER BY id DESC LIMIT ?2
                """
            return try Row.fetchAll(db.cachedStatement(sql: sql), arguments: [owner, limit]).map { row in
                Due(
                    id: EmailID(rawValue: row[0]), size: row[1],
                    attachments: Packed.attachments(row[2] as String))
            }
        }
    }

    /// Saves the text of a message's files. Does nothing if the message was deleted, or was already read.
    public func save(_ text: String, unread: Int, of id: EmailID) throws(MailStoreError) {
        try file.writing { db in
            file.words.begin(db)
            guard
                let row = try Int64.fetchOne(
                    db, sql: "SELECT id FROM message WHERE email_id = ?", arguments: [id.rawValue])
            else { return }
            let isDue = try Bool.fetchOne(
                db.cachedStatement(sql: "SELECT is_due FROM file_text WHERE message = ?"), arguments: [row])
            if isDue == true { try IndexWriter(db: db, known: file.words).removeFileText(of: row) }
            try db.cachedStatement(
                sql: "INSERT OR IGNORE INTO file_text (message, text, unread) VALUES (?, opus_pack(?), ?)"
            ).execute(arguments: [row, text, unread])
            guard db.changesCount > 0 else { return }
            try IndexWriter(db: db, known: file.words).index(fileText: text, of: row)
        }
    }

    /// Whether any file was read.
    public func isUsed() throws(MailStoreError) -> Bool {
        try file.reading { db in try db.hasFileTexts() }
    }

    /// nil: its files were not read.
    public func text(of id: EmailID) throws(MailStoreError) -> String? {
        try file.reading { db in
            let sql = """
                SELECT opus_unpack_text(text) FROM file_text
                WHERE message = (SELECT id FROM message WHERE email_id = ?)
                """
            return try String.fetchOne(db.cachedStatement(sql: sql), arguments: [id.rawValue])
        }
    }
}

extension IndexWriter {
    func index(fileText text: String, of row: Int64) throws {
        let indexed = IndexedText(text)
        try db.cachedStatement(sql: "INSERT INTO file_search (rowid, text) VALUES (?, ?)")
            .execute(arguments: [row, indexed.forIndex])
        try note(known.newWords(of: [indexed]))
    }

    /// Removes the text of a message's files from the store and its index.
    func removeFileText(of row: Int64) throws {
        let text = try String.fetchOne(
            db.cachedStatement(sql: "SELECT opus_unpack_text(text) FROM file_text WHERE message = ?"),
            arguments: [row])
        guard let text else { return }
        try db.cachedStatement(
            sql: "INSERT INTO file_search (file_search, rowid, text) VALUES ('delete', ?, ?)"
        )
        .execute(arguments: [row, IndexedText(text).forIndex])
        try db.cachedStatement(sql: "DELETE FROM file_text WHERE message = ?").execute(arguments: [row])
    }
}

extension Database {
    func hasFileTexts() throws -> Bool {
        try Bool.fetchOne(cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM file_text)")) ?? false
    }

    /// Messages that may match because of a text in their files; nil: no files were read, or the condition
    /// does not include their texts.
    func rows(withFileTextFor wanted: SearchCondition) throws -> RowSet? {
        guard try hasFileTexts() else { return nil }
        var rows = RowSet()
        switch try WordExpression.ofFiles(wanted, self) {
        case .nothing: return nil
        case .everything:
            for row in try Int64.fetchAll(cachedStatement(sql: "SELECT message FROM file_text")) {
                rows.insert(row)
            }
        case .match(let expression):
            let statement = try cachedStatement(
                sql: "SELECT rowid FROM file_search WHERE file_search MATCH ?")
            for row in try Int64.fetchAll(statement, arguments: [expression]) { rows.insert(row) }
        }
        return rows
    }
}

import GRDB
public import Models

/// Builds a new store beside the old one. A sync fills the new store. Then the rebuild copies what only the
/// old store has, and replaces the old store in one transaction. Until then the old store does not change.
public struct StoreRebuild: Sendable {
    /// What the rebuild copied from the old store.
    public struct Carried: Hashable, Sendable {
        /// Messages that the accounts no longer have.
        public var messages = 0
        /// Number of rows by table; tables without rows are left out.
        public var rows: [String: Int] = [:]
    }

    /// The store that is being built.
    public let store: Store
    /// Whether an interrupted rebuild is continued.
    public let isResumed: Bool
    private let old: Store
    private let accounts: Set<AccountID>

    /// Begins a rebuild, or continues the one at the path. The caller holds the lock, so the old store does
    /// not change. Accounts that are not in `accounts` are copied whole.
    public init(at path: String, replacing old: Store, accounts: [AccountID]) throws(MailStoreError) {
        store = try Store.open(path: path)
        self.old = old
        self.accounts = Set(accounts)
        let wanted = self.accounts
        let known = try Self.withOld(store, old) { try Seed(db: $0, accounts: wanted).isCurrent() }
        isResumed = known
        guard !known else { return }
        try store.file.writing { db in
            // The files of an earlier attempt are based on another state of the old store.
            if let left = try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM account)"), left {
                throw MailStoreError.staleRebuild
            }
        }
        try Self.withOld(store, old) { try Seed(db: $0, accounts: wanted).plant() }
    }

    /// Copies what only the old store has.
    public func carry() throws(MailStoreError) -> Carried {
        let wanted = accounts
        return try Self.withOld(store, old) { db in
            var carried = Carried()
            try db.inTransaction(.immediate) {
                try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
                carried = try CarryOver(db: db, accounts: wanted).run()
                if let damage = try StoreVerification(db: db).records().first {
                    throw MailStoreError.corrupt(reason: damage.words)
                }
                return .commit
            }
            return carried
        }
    }

    /// From here on the old store has the new content.
    public func replace() throws(MailStoreError) {
        try store.file.replace(old.file)
        // The log now has the whole store once more. If it cannot be emptied, the next writer does that.
        try? old.file.emptyLog()
    }

    public func close() { store.close() }

    private static func withOld<T>(
        _ store: Store, _ old: Store, _ body: (Database) throws -> T
    ) throws(MailStoreError) -> T {
        try store.file.maintaining { db in
            try db.execute(sql: "ATTACH DATABASE ? AS old", arguments: [old.file.path])
            defer { try? db.execute(sql: "DETACH DATABASE old") }
            return try body(db)
        }
    }
}

/// The numbers and names of the old store. The new store starts with them.
private struct Seed {
    let db: Database
    let accounts: Set<AccountID>

    /// Whether the new store was started from this old one: it has the number of each of its messages.
    func isCurrent() throws -> Bool {
        guard try db.tableExists("earlier_message"),
            try String.fetchSet(db, sql: "SELECT name FROM earlier_account") == Set(accounts.map(\.rawValue))
        else { return false }
        return try Bool.fetchOne(
            db,
            sql: """
                SELECT NOT EXISTS (SELECT 1 FROM old.message AS was
                    LEFT JOIN main.earlier_message AS known ON known.id = was.id
                    WHERE known.email_id IS NOT was.email_id)
                AND NOT EXISTS (SELECT 1 FROM old.mailbox AS was
                    LEFT JOIN main.mailbox AS known ON known.id = was.id WHERE known.name IS NOT was.name)
                """) ?? false
    }

    private func rebuilt() throws -> String {
        let rows = try Row.fetchAll(db, sql: "SELECT id, name FROM old.account")
        return JSONList.of(rows.filter { accounts.contains(AccountID($0[1])) }.map { $0[0] as Int64 })
    }

    func plant() throws {
        let rebuilt = try rebuilt()
        try db.inTransaction(.immediate) {
            try db.execute(sql: EarlierStore.tables)
            for account in accounts {
                try db.execute(
                    sql: "INSERT INTO earlier_account (name) VALUES (?)", arguments: [account.rawValue])
            }
            try db.copyFromOld("account", "TRUE")
            try db.copyFromOld("mailbox", "account NOT IN (SELECT value FROM json_each(?1))", [rebuilt])
            try db.execute(
                sql: """
                    INSERT INTO main.mailbox (id, account, name, display_name, delimiter, role, is_missing, own_uid_next)
                        SELECT id, account, name, display_name, delimiter, role, is_missing, own_uid_next
                        FROM old.mailbox WHERE account IN (SELECT value FROM json_each(?1))
                    """, arguments: [rebuilt])
            // The messages of all accounts: a rebuilt message must not get the number of any other message.
            try db.execute(
                sql: """
                    INSERT INTO main.earlier_message (id, account, email_id, fingerprint, header_digest, body_digest)
                        SELECT id, account, email_id, fingerprint, header_digest, body_digest FROM old.message
                    """)
            try db.execute(
                sql: """
                    INSERT INTO main.earlier_place (mailbox, remote_name, uid)
                        SELECT mailbox, remote_name, uid FROM old.placement WHERE remote_name IS NOT NULL
                    """)
            return .commit
        }
    }
}

/// Copies rows from the old store, inside one transaction of the new one.
private struct CarryOver {
    let db: Database
    let accounts: Set<AccountID>

    func run() throws -> StoreRebuild.Carried {
        var carried = StoreRebuild.Carried()
        carried.messages = try messages()
        try otherAccounts()
        for table in StoreTable.all where table.origin == .onlyHere {
            let count = try db.copyFromOld(table.name, "TRUE")
            if count > 0 { carried.rows[table.name] = count }
        }
        try db.execute(
            sql: """
                INSERT OR IGNORE INTO unplaced (message)
                    SELECT id FROM message WHERE id NOT IN (SELECT message FROM placement);
                -- No number of a run, a step or a draft is given a second time.
                INSERT INTO sqlite_sequence (name, seq)
                    SELECT name, 0 FROM old.sqlite_sequence WHERE name NOT IN (SELECT name FROM main.sqlite_sequence);
                UPDATE sqlite_sequence SET seq = max(seq, coalesce(
                    (SELECT was.seq FROM old.sqlite_sequence AS was WHERE was.name = sqlite_sequence.name), 0));
                DROP TABLE earlier_account;
                DROP TABLE earlier_message;
                DROP TABLE earlier_place;
                """)
        for row in try Row.fetchAll(db, sql: "SELECT account, id FROM mailbox") {
            try Overlay(db: db).refreshAll(of: row[0], in: row[1])
        }
        return carried
    }

    /// Messages that the sync did not find again: they are in no mailbox now, or their account was not
    /// synced.
    private func messages() throws -> Int {
        try db.execute(
            sql: """
                CREATE TEMP TABLE leftover AS
                    SELECT id FROM old.message WHERE id NOT IN (SELECT id FROM main.message)
                """)
        defer { try? db.execute(sql: "DROP TABLE temp.leftover") }
        let rows = "IN (SELECT id FROM temp.leftover)"
        try db.copyFromOld("message", "id \(rows)")
        try db.copyFromOld("packed_content", "message \(rows)")
        try db.copyFromOld("file_text", "message \(rows)")
        let index = IndexWriter(db: db, known: KnownWords())
        for row in try Int64.fetchAll(db, sql: "SELECT id FROM temp.leftover") {
            for (row, columns) in try db.indexedColumns(from: row, through: row, limit: 1) {
                try index.index(row, columns)
            }
            let text = try String.fetchOne(
                db, sql: "SELECT opus_unpack_text(text) FROM file_text WHERE message = ?", arguments: [row])
            if let text { try index.index(fileText: text, of: row) }
        }
        // Their threads may have been joined with others since.
        try db.execute(
            sql: """
                UPDATE message SET thread = coalesce((SELECT link.thread FROM thread_link AS link
                    WHERE link.account = message.account AND link.message_id = message.message_id), thread)
                WHERE id \(rows)
                """)
        return try Int.fetchOne(db, sql: "SELECT count(*) FROM temp.leftover") ?? 0
    }

    private func otherAccounts() throws {
        let known = try Row.fetchAll(db, sql: "SELECT id, name FROM main.account")
        let others = JSONList.of(
            known.filter { !accounts.contains(AccountID($0[1])) }.map { $0[0] as Int64 })
        let account = "account IN (SELECT value FROM json_each(?1))"
        for table in StoreTable.all {
            switch table.origin {
            case .account: try db.copyFromOld(table.name, account, [others])
            case .mailbox:
                try db.copyFromOld(
                    table.name, "mailbox IN (SELECT id FROM old.mailbox WHERE \(account))", [others])
            case .message, .derived, .identity, .onlyHere: break
            }
        }
    }
}

extension Database {
    /// Copies rows, with all columns that both files have. The column names come from the schema of opus.
    @discardableResult
    fileprivate func copyFromOld(
        _ table: String, _ rows: String, _ arguments: StatementArguments = []
    ) throws -> Int {
        let columns = try String.fetchAll(
            self,
            sql: """
                SELECT name FROM pragma_table_info(?1, 'main')
                WHERE name IN (SELECT name FROM pragma_table_info(?1, 'old'))
                """, arguments: [table]
        ).joined(separator: ", ")
        try execute(
            sql:
                "INSERT OR REPLACE INTO main.\(table) (\(columns)) SELECT \(columns) FROM old.\(table) WHERE \(rows)",
            arguments: arguments)
        return changesCount
    }
}

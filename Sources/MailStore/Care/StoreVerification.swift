import Foundation
import GRDB
import Models

/// A problem in the store.
public struct StoreFinding: Hashable, Sendable {
    /// A stable identifier, such as `damaged-file` or `index-differs`.
    public var code: String
    public var table: String?
    /// The number of affected rows.
    public var count: Int
    public var words: String

    init(_ code: String, table: String? = nil, count: Int = 1, _ words: String) {
        self.code = code
        self.table = table
        self.count = count
        self.words = words
    }
}

/// Checks the file of the store: the structure of the SQLite file, references, the search index, the schema,
/// and the invariants of opus. It changes nothing.
extension Store {
    public func verify(_ stage: (String) -> Void = { _ in }) throws(MailStoreError) -> [StoreFinding] {
        stage("pages")
        let damage = try file.maintaining { try StoreVerification(db: $0).damage() }
        // In a damaged file, the other checks would only guess.
        guard damage.isEmpty else { return damage }
        stage("references and rules")
        var findings = try file.maintaining { db in
            let verification = StoreVerification(db: db)
            return try verification.schema() + verification.references() + verification.broken()
                + verification.records()
        }
        stage("search index")
        findings += try file.maintaining { try StoreVerification(db: $0).index() }
        return findings
    }

    /// The problems of the file, as texts; empty if there are none.
    public func integrityCheck() throws(MailStoreError) -> [String] { try verify().map(\.words) }

    /// The version of SQLite, such as `3.40.1`.
    public func sqliteVersion() throws(MailStoreError) -> String {
        try file.reading { db in try String.fetchOne(db, sql: "SELECT sqlite_version()") ?? "" }
    }
}

struct StoreVerification {
    let db: Database

    /// The findings of SQLite's own integrity check.
    func damage() throws -> [StoreFinding] {
        do {
            return try String.fetchAll(db, sql: "PRAGMA integrity_check(20)").filter { $0 != "ok" }.map {
                StoreFinding("damaged-file", $0)
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            return [StoreFinding("damaged-file", error.message ?? "the file is damaged")]
        }
    }

    func references() throws -> [StoreFinding] {
        let rows = try Row.fetchAll(db, sql: "PRAGMA foreign_key_check")
        return Dictionary(grouping: rows) { ($0[0] as String?) ?? "" }.sorted { $0.key < $1.key }.map {
            StoreFinding(
                "dangling-reference", table: $0.key, count: $0.value.count,
                "\($0.value.count) rows of \($0.key) refer to rows that are gone")
        }
    }

    func index() throws -> [StoreFinding] {
        guard try !IndexCheck(db: db).isSound() else { return [] }
        return [
            StoreFinding("index-differs", table: "search", "the search index does not match the messages")
        ]
    }

    /// Tables, indexes and triggers of this version's schema that the file lacks, or has in another form.
    func schema() throws -> [StoreFinding] {
        let sql = "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"
        let expected = try DatabaseQueue(configuration: StoreFile.plainConfiguration()).inDatabase {
            fresh in
            try Schema.migrate(fresh)
            return try Row.fetchAll(fresh, sql: sql).map { ($0[0] as String, $0[1] as String) }
        }
        let found = Dictionary(
            try Row.fetchAll(db, sql: sql).map { ($0[0] as String, $0[1] as String) },
            uniquingKeysWith: { first, _ in first })
        return expected.sorted { $0.0 < $1.0 }.compactMap { name, _ in
            guard found[name] == nil else { return nil }
            return StoreFinding("schema-differs", table: name, "the file has no \(name)")
        }
    }

    /// Conditions that every transaction of opus preserves.
    private static let invariants: [(code: String, table: String, words: String, rows: String)] = [
        (
            "missing-content", "packed_content", "messages without their header and text",
            "message WHERE NOT EXISTS (SELECT 1 FROM packed_content AS kept WHERE kept.message = message.id)"
        ),
        (
            "lost-message", "placement", "messages that are in no mailbox and not noted as gone",
            """
            message WHERE NOT EXISTS (SELECT 1 FROM placement WHERE placement.message = message.id)
                AND NOT EXISTS (SELECT 1 FROM unplaced WHERE unplaced.message = message.id)
            """
        ),
        (
            "wrong-account", "placement", "places in a mailbox of another account",
            """
            placement JOIN message ON message.id = placement.message
                JOIN mailbox ON mailbox.id = placement.mailbox WHERE mailbox.account <> message.account
            """
        ),
        (
            "step-without-run", "step", "steps without a run",
            "step WHERE NOT EXISTS (SELECT 1 FROM run WHERE run.id = step.run)"
        ),
        (
            "run-without-account", "run", "runs without an account",
            "run WHERE NOT EXISTS (SELECT 1 FROM account WHERE account.id = run.account)"
        ),
        (
            "open-step-without-message", "step", "waiting steps on a message that the store does not have",
            """
            step WHERE message IS NOT NULL AND state IN ('planned', 'ready', 'issued', 'unknown', 'reconciling')
                AND verb IN ('move', 'store')
                AND NOT EXISTS (SELECT 1 FROM message WHERE message.email_id = step.message)
            """
        ),
        (
            "draft-without-submission", "draft", "drafts that are sent by a step that is gone",
            """
            draft WHERE submission IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM step WHERE step.id = draft.submission)
            """
        ),
        (
            "wrong-account", "deferral", "deferrals whose message is in another account",
            """
            deferral JOIN message ON message.id = deferral.message
                WHERE message.account <> deferral.account
            """
        ),
        (
            "wrong-account", "todo_link", "links whose message is in another account",
            """
            todo_link JOIN message ON message.id = todo_link.message
                WHERE message.account <> todo_link.account
            """
        ),
    ]

    func broken() -> [StoreFinding] {
        Self.invariants.compactMap { invariant in
            // If the table is missing, there is nothing to count; `schema()` reports it.
            let count = try? Int.fetchOne(db, sql: "SELECT count(*) FROM \(invariant.rows)")
            guard let count, count > 0 else { return nil }
            return StoreFinding(
                invariant.code, table: invariant.table, count: count, "\(count) \(invariant.words)")
        }
    }

    /// Records that opus cannot read. Those of task files are not checked: the next scan of the folder replaces them.
    func records() throws -> [StoreFinding] {
        let steps = try unreadable("SELECT kind, outcome FROM step") { row in
            _ = try StepRecord.kind(row[0])
            if let outcome = row[1] as Data? { _ = try StepRecord.outcome(outcome) }
        }
        let drafts = try unreadable("SELECT versions FROM draft") { row in
            _ = try DraftStore.versions(row[0])
        }
        return [("step", steps), ("draft", drafts)].filter { $0.1 > 0 }.map { table, count in
            StoreFinding(
                "damaged-record", table: table, count: count,
                "\(counted(count, "record")) of \(table) cannot be read")
        }
    }

    private func unreadable(_ sql: String, _ read: (Row) throws -> Void) throws -> Int {
        // If the table is missing, `schema()` reports it.
        guard let rows = try? Row.fetchCursor(db, sql: sql) else { return 0 }
        var count = 0
        while let row = try rows.next() {
            do { try read(row) } catch { count += 1 }
        }
        return count
    }
}

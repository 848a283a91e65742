import GRDB

/// Whether the store's file is sound, and which SQLite reads it.
extension Store {
    /// The SQLite that this program runs with: `3.40.1`.
    public func sqliteVersion() throws(MailStoreError) -> String {
        try file.reading { db in try String.fetchOne(db, sql: "SELECT sqlite_version()") ?? "" }
    }

    /// What is wrong with the file, in SQLite's words; empty when nothing is.
    public func integrityCheck() throws(MailStoreError) -> [String] {
        try file.writing { db in
            var findings = try String.fetchAll(db, sql: "PRAGMA integrity_check(100)").filter { $0 != "ok" }
            for row in try Row.fetchAll(db, sql: "PRAGMA foreign_key_check") {
                findings.append("a row of \(row[0] as String) refers to nothing")
            }
            if try !IndexCheck(db: db).isSound() {
                findings.append("the search index does not match the messages")
            }
            return findings
        }
    }
}

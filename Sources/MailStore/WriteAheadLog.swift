import GRDB
import Glibc

/// The file in which SQLite collects commits before it copies them into the store.
///
/// The trap: the first process that opens the store reads the whole log. GRDB closes the writer before the
/// readers, so SQLite does not copy and remove the log at the end. After a first sync, every command would
/// read 24 MB before its first row.
enum WriteAheadLog {
    /// Reading a shorter log is faster than copying it.
    private static let most = 1 << 20

    /// Copies a long log into the store and empties it. Does not wait for other processes; a crash loses
    /// nothing.
    static func shorten(_ pool: DatabasePool) {
        var status = stat()
        guard stat(pool.path + "-wal", &status) == 0, status.st_size > most else { return }
        try? pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA busy_timeout = 0")
            _ = try db.checkpoint(.passive)
            try db.execute(sql: "PRAGMA journal_size_limit = 0")
            // The next commit starts the log from its beginning, if no other process is reading it. This
            // transaction changes nothing.
            try db.inTransaction(.immediate) {
                let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
                try db.execute(sql: "PRAGMA user_version = \(version)")
                return .commit
            }
        }
    }
}

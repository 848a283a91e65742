import GRDB
import Glibc
import Synchronization

/// The open SQLite file: one writer, many readers (WAL). The trap: GRDB opens WAL with `synchronous = NORMAL`, which may lose
/// commits when the power goes; the journal promises more, so FULL is set after opening, and checked.
final class StoreFile: Sendable {
    private let pool: DatabasePool
    /// Transactions that were written since it was opened: each is a wait for the disk.
    let commits = Atomic<Int>(0)
    /// The words of the search index that are known to be there.
    let words = KnownWords()

    private init(pool: DatabasePool) { self.pool = pool }

    /// Opens the store, or makes an empty one, readable by its owner only. The folder must exist.
    static func open(path: String) throws(MailStoreError) -> StoreFile {
        try createPrivately(path)
        let opened: DatabasePool
        do {
            opened = try DatabasePool(path: path, configuration: configuration)
            try opened.writeWithoutTransaction { db in
                try Schema.refuseStrangers(db, path: path)
                try db.execute(sql: "PRAGMA synchronous = FULL")
                try Schema.migrate(db)
                try assertDurable(db, path: path)
            }
        } catch {
            throw MailStoreError(error, opening: path)
        }
        return StoreFile(pool: opened)
    }

    /// Ends every connection. Calls after it fail.
    func close() {
        // Busy only while another call runs; the file is closed when that call has ended.
        try? pool.close()
    }

    /// One consistent view, without a lock on the writer.
    func reading<T>(_ body: (Database) throws -> T) throws(MailStoreError) -> T {
        do { return try pool.read(body) } catch { throw MailStoreError(error) }
    }

    /// Like ``reading(_:)``, but over the writer's connection, for what a sync looks up between two batches. A reader
    /// would have to read its pages again after each commit; the writer has them in its cache.
    func lookingUp<T>(_ body: (Database) throws -> T) throws(MailStoreError) -> T {
        do { return try pool.writeWithoutTransaction(body) } catch { throw MailStoreError(error) }
    }

    /// One transaction: when the call returns, all of it is on disk, or nothing of it.
    func writing<T>(_ body: (Database) throws -> T) throws(MailStoreError) -> T {
        commits.add(1, ordering: .relaxed)
        do { return try pool.write(body) } catch { throw MailStoreError(error) }
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "MailStore"
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { db in
            // Mail stays in this file: temporary tables and sorters must not write to a shared folder.
            try db.execute(
                sql: """
                    PRAGMA trusted_schema = OFF;
                    PRAGMA cell_size_check = ON;
                    PRAGMA temp_store = MEMORY;
                    """)
            // SQLite copies the log into the file only every 16 MB, so a page that changes in every batch of a first
            // sync is copied once for many batches. The cache holds the pages that such a sync needs repeatedly.
            try db.execute(
                sql: db.configuration.readonly
                    ? "PRAGMA cache_size = -2000"
                    : "PRAGMA cache_size = -4000; PRAGMA wal_autocheckpoint = 4000")
        }
        return configuration
    }

    /// SQLite would make the file readable for every user. Its `-wal` and `-shm` files copy the file's mode.
    private static func createPrivately(_ path: String) throws(MailStoreError) {
        let file = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            let code = errno
            if code == ENOSPC || code == EDQUOT { throw .full }
            throw .cannotOpen(path: path, reason: String(cString: strerror(code)))
        }
        Glibc.close(file)
    }

    private static func assertDurable(_ db: Database, path: String) throws {
        let journal = try String.fetchOne(db, sql: "PRAGMA journal_mode")
        let synchronous = try Int.fetchOne(db, sql: "PRAGMA synchronous")
        let foreignKeys = try Int.fetchOne(db, sql: "PRAGMA foreign_keys")
        guard journal == "wal", synchronous == 2, foreignKeys == 1 else {
            throw MailStoreError.cannotOpen(path: path, reason: "this SQLite does not keep commits safely")
        }
    }
}

import GRDB
import Glibc
import Synchronization

/// The open SQLite file: one writer, many readers (WAL). The trap: GRDB opens WAL with `synchronous =
/// NORMAL`, which may lose commits at a power failure. The journal guarantees more, so opus sets FULL after
/// opening, and checks it.
///
/// A file that is opened for reading does not wait for a writer. Opening a connection that may write acquires
/// the writer's lock for a moment, so opus opens one only for the first write.
final class StoreFile: Sendable {
    let path: String
    private let readers: any DatabaseReader
    /// nil: nothing has been written yet.
    private let writer: Mutex<DatabasePool?>
    /// Transactions written since the file was opened.
    let commits = Atomic<Int>(0)
    /// How many of them waited for the disk.
    let waits = Atomic<Int>(0)
    /// The words of the search index that are known to be there.
    let words = KnownWords()

    private init(path: String, readers: any DatabaseReader, writer: DatabasePool?) {
        self.path = path
        self.readers = readers
        self.writer = Mutex(writer)
    }

    /// Opens the store, or creates an empty one that only its owner can read. The folder must exist.
    static func open(path: String, _ access: StoreAccess) throws(MailStoreError) -> StoreFile {
        try createPrivately(path)
        do {
            if access == .reading, let readers = try openToRead(path) {
                return StoreFile(path: path, readers: readers, writer: nil)
            }
            let pool = try openToWrite(path)
            return StoreFile(path: path, readers: pool, writer: pool)
        } catch {
            throw MailStoreError(error, opening: path)
        }
    }

    private static func openToWrite(_ path: String) throws -> DatabasePool {
        let pool = try DatabasePool(path: path, configuration: configuration())
        try pool.writeWithoutTransaction { db in
            try Schema.refuseStrangers(db, path: path)
            try db.execute(sql: "PRAGMA synchronous = FULL")
            try Schema.migrate(db)
            try assertDurable(db, path: path)
        }
        return pool
    }

    /// nil: the file is new or of an older version, or its last writer left it in a state that only a writer
    /// can repair.
    ///
    /// One connection: a pool would open a second one for the first read, and each reads the whole schema.
    private static func openToRead(_ path: String) throws -> DatabaseQueue? {
        let queue = try DatabaseQueue(path: path, configuration: configuration(toRead: true))
        do {
            let isReady = try queue.read { db in
                try Schema.refuseStrangers(db, path: path)
                return try Schema.isCurrent(db) && String.fetchOne(db, sql: "PRAGMA journal_mode") == "wal"
            }
            return isReady ? queue : nil
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CANTOPEN {
            return nil
        }
    }

    private func writing() throws -> DatabasePool {
        try writer.withLock { writer in
            if let writer { return writer }
            let opened = try Self.openToWrite(path)
            writer = opened
            return opened
        }
    }

    /// Closes every connection. Later calls fail.
    func close() {
        if commits.load(ordering: .relaxed) > 0, let pool = writer.withLock(\.self) {
            WriteAheadLog.shorten(pool)
        }
        // Busy only while another call is running; the file is closed when that call ends.
        try? readers.close()
        writer.withLock { try? $0?.close() }
    }

    /// One consistent view, without the writer's lock.
    func reading<T>(_ body: (Database) throws -> T) throws(MailStoreError) -> T {
        do { return try readers.read(body) } catch { throw MailStoreError(error) }
    }

    /// Like ``reading(_:)``, but through the writer's connection, for the look-ups of a sync between two
    /// batches. A reader would have to read its pages again after each commit; the writer has them in its
    /// cache.
    func lookingUp<T>(_ body: (Database) throws -> T) throws(MailStoreError) -> T {
        do {
            guard let writer = writer.withLock(\.self) else { return try readers.read(body) }
            return try writer.writeWithoutTransaction(body)
        } catch {
            throw MailStoreError(error)
        }
    }

    /// One transaction: when the call returns, all of it is on disk, or nothing of it.
    func writing<T>(_ body: (Database) throws -> T) throws(MailStoreError) -> T {
        commits.add(1, ordering: .relaxed)
        do {
            return try writing().write { db in
                let before = db.totalChangesCount
                let result = try body(db)
                if db.totalChangesCount > before { waits.add(1, ordering: .relaxed) }
                return result
            }
        } catch {
            throw MailStoreError(error)
        }
    }

    /// One transaction of facts that the next sync would find again. It does not wait for the disk: a power failure soon
    /// after it can undo it as a whole. The end of the process alone loses nothing.
    ///
    /// SQLite writes its log in order, so the next ``writing(_:)`` brings these facts to the disk too: a step of
    /// the journal is never on the disk without the facts that it depends on.
    func writingSoon<T>(_ body: (Database) throws -> T) throws(MailStoreError) -> T {
        commits.add(1, ordering: .relaxed)
        do {
            return try writing().writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA synchronous = NORMAL")
                let result = Result { () throws -> T in
                    var value: T?
                    try db.inTransaction(.immediate) {
                        value = try body(db)
                        return .commit
                    }
                    guard let value else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
                    return value
                }
                // Also after a failure.
                try db.execute(sql: "PRAGMA synchronous = FULL")
                return try result.get()
            }
        } catch {
            throw MailStoreError(error)
        }
    }

    /// For statements that SQLite does not allow inside a transaction: VACUUM, ATTACH, a checkpoint.
    func maintaining<T>(_ body: (Database) throws -> T) throws(MailStoreError) -> T {
        do { return try writing().barrierWriteWithoutTransaction(body) } catch { throw MailStoreError(error) }
    }

    /// Replaces the content of the other file, in one transaction of that file: a reader sees either the old
    /// or the new content.
    func replace(_ other: StoreFile) throws(MailStoreError) {
        do {
            try writing().backup(to: other.writing())
        } catch {
            throw MailStoreError(error, opening: other.path)
        }
    }

    /// Copies the write-ahead log into the file, and empties it. If another process is reading, SQLite is busy, and the next
    /// writer empties the log.
    func emptyLog() throws(MailStoreError) {
        try maintaining { db in _ = try Row.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
    }

    /// The configuration of a store in memory, for comparisons.
    static func plainConfiguration() -> Configuration { configuration() }

    private static func configuration(toRead: Bool = false) -> Configuration {
        var configuration = Configuration()
        configuration.label = "MailStore"
        configuration.readonly = toRead
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { db in
            try PackedContent.addFunctions(to: db)
            // Mail stays in this file: temporary tables and sorters must not write to a shared folder.
            try db.execute(
                sql: """
                    PRAGMA trusted_schema = OFF;
                    PRAGMA cell_size_check = ON;
                    PRAGMA temp_store = MEMORY;
                    """)
            // SQLite copies the log into the file only every 16 MB, so a page that changes in every batch of
            // a first sync is copied once for many batches. The cache holds the pages that such a sync reads
            // repeatedly.
            try db.execute(
                sql: db.configuration.readonly
                    ? "PRAGMA cache_size = -2000"
                    : "PRAGMA cache_size = -4000; PRAGMA wal_autocheckpoint = 4000")
        }
        return configuration
    }

    /// SQLite would make the file readable for every user. Its `-wal` and `-shm` files get the same mode as
    /// the file.
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

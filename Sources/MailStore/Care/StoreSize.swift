import GRDB
import Glibc

/// How large the store is, and how much of it can be freed.
public struct StoreSize: Hashable, Sendable {
    /// Bytes of the file and its write-ahead log.
    public var bytes: Int64
    /// Bytes of unused pages.
    public var free: Int64
    public var messages: Int
    /// Bytes of the stored headers and texts.
    public var contents: Int64
}

extension Store {
    /// Bytes on disk, found without reading the file.
    public var bytesOnDisk: Int64 {
        ["", "-wal"].reduce(0) { sum, suffix in
            var status = stat()
            return stat(file.path + suffix, &status) == 0 ? sum + Int64(status.st_size) : sum
        }
    }

    public func size() throws(MailStoreError) -> StoreSize {
        let bytes = bytesOnDisk
        return try file.reading { db in
            let page = try Int64.fetchOne(db, sql: "PRAGMA page_size") ?? 0
            let free = try Int64.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT count(*), coalesce(sum(opus_length(headers) + opus_length(text)), 0)
                    FROM packed_content
                    """)
            return StoreSize(
                bytes: bytes, free: page * free, messages: row?[0] ?? 0, contents: row?[1] ?? 0)
        }
    }

    /// Merges the search index, rewrites the file without gaps, and empties its log. Readers are not
    /// interrupted.
    public func compact(_ stage: (String) -> Void = { _ in }) throws(MailStoreError) {
        stage("search index")
        try file.writing { try $0.execute(sql: "INSERT INTO search (search) VALUES ('optimize')") }
        stage("file")
        try file.maintaining { try $0.execute(sql: "VACUUM") }
        try file.emptyLog()
    }
}

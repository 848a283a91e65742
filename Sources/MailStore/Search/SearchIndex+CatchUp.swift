import GRDB

/// Adds messages to the index that an earlier version of the program stored.
extension SearchIndex {
    /// Whether some messages are not in the index yet. Searches still find them, but more slowly.
    public func isBehind() throws(MailStoreError) -> Bool {
        try file.reading { db in try db.unindexed() != nil }
    }

    /// Indexes up to `limit` messages, the newest first, in one transaction. A crash loses only this transaction.
    ///
    /// - Returns: Whether there are more.
    @discardableResult
    public func catchUp(limit: Int = 500) throws(MailStoreError) -> Bool {
        guard try isBehind() else { return false }
        return try file.writing { db in
            guard let last = try db.unindexed() else { return false }
            file.words.begin(db)
            let writer = IndexWriter(db: db, known: file.words)
            let batch = try db.indexedColumns(from: 0, through: last, limit: limit)
            for (row, columns) in batch { try writer.index(row, columns) }
            guard batch.count == limit, let next = batch.last?.0, next > 1 else {
                try db.execute(sql: "DELETE FROM unindexed")
                return false
            }
            try db.execute(sql: "UPDATE unindexed SET up_to = ?", arguments: [next - 1])
            return true
        }
    }
}

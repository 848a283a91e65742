import GRDB

/// Checks that the search index is valid and contains the words of the messages. In a large store, it checks
/// a sample.
struct IndexCheck {
    let db: Database

    private static let most: Int64 = 2_000

    func isSound() throws -> Bool {
        do {
            for table in ["search", "file_search", "word_part"] {
                try db.execute(sql: "INSERT INTO \(table) (\(table)) VALUES ('integrity-check')")
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            return false
        }
        let first = (try db.unindexed() ?? 0) + 1
        let last = try Int64.fetchOne(db, sql: "SELECT max(id) FROM message") ?? 0
        let step = max(1, (last - first) / Self.most)
        for row in stride(from: first, through: last, by: Int64.Stride(step)) {
            for (row, columns) in try db.indexedColumns(from: row, through: row, limit: 1)
            where try !hasWords(row, columns) {
                return false
            }
        }
        return true
    }

    private func hasWords(_ row: Int64, _ columns: IndexWriter.Columns) throws -> Bool {
        let terms: [SearchCondition] = [
            .words(SearchTerm(.subject, columns.subject.string)),
            .words(SearchTerm(.address, columns.addresses.string)),
            .words(SearchTerm(.text, columns.text.string)),
        ]
        guard let words = try WordExpression.of(.all(terms), db) else { return true }
        let statement = try db.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM search WHERE search MATCH ? AND rowid = ?)")
        return try Bool.fetchOne(statement, arguments: [words, row]) ?? false
    }
}

import GRDB

/// The rows of the messages that the full-text index finds for an expression, looked up in ranges of rows.
///
/// A common word is in most messages, but a search shows only the newest ones. They were mostly stored together, so they
/// are in a few ranges of rows.
struct CandidateRows {
    private let words: String
    /// Candidates that the index does not find.
    private let others: RowSet
    private var found: RowSet
    /// The rows that were looked up.
    private var known = RowSet()
    private var isComplete = false

    init(_ words: String, others: RowSet) {
        self.words = words
        self.others = others
        found = others
    }

    func contains(_ row: Int64) -> Bool { found.contains(row) }

    /// All candidates, after ``lookUpAll(atMost:_:)`` returned true.
    var all: RowSet { found }

    /// Looks up all rows; false: there are more candidates than the limit.
    @discardableResult
    mutating func lookUpAll(atMost limit: Int, _ db: Database) throws -> Bool {
        var all = others
        let rows = try cursor("", [words], db)
        while try rows.next() != nil {
            guard all.count < limit else { return false }
            all.insert(rows.row)
        }
        found = all
        isComplete = true
        return true
    }

    /// Looks up at least these rows.
    mutating func look(up rows: [Int64], _ db: Database) throws {
        guard !isComplete else { return }
        let ranges = ranges(of: rows.filter { !known.contains($0) }.sorted())
        let width = ranges.reduce(0) { $0 + $1.count }
        guard ranges.count <= Self.mostRanges, width <= Self.mostRows else {
            try lookUpAll(atMost: .max, db)
            return
        }
        for range in ranges {
            let rows = try cursor(
                "AND rowid BETWEEN ? AND ?", [words, range.lowerBound, range.upperBound], db)
            while try rows.next() != nil { found.insert(rows.row) }
            for row in range { known.insert(row) }
        }
    }

    /// Each look-up begins in every segment of the index, which costs as much as about a hundred candidates.
    private static let mostRanges = 32
    private static let mostRows = 50_000
    /// The largest run of unwanted rows inside a range.
    private static let largestGap: Int64 = 500

    private func ranges(of rows: [Int64]) -> [ClosedRange<Int64>] {
        var ranges: [ClosedRange<Int64>] = []
        for row in rows {
            if let last = ranges.last, row - last.upperBound <= Self.largestGap {
                ranges[ranges.count - 1] = last.lowerBound...row
            } else {
                ranges.append(row...row)
            }
        }
        return ranges
    }

    private struct Cursor {
        let rows: RowCursor
        let raw: RawRow
        var row: Int64 { raw.int(0) }
        func next() throws -> Row? { try rows.next() }
    }

    private func cursor(_ condition: String, _ arguments: StatementArguments, _ db: Database) throws -> Cursor
    {
        let statement = try db.cachedStatement(
            sql: "SELECT rowid FROM search WHERE search MATCH ? \(condition)")
        return Cursor(
            rows: try Row.fetchCursor(statement, arguments: arguments),
            raw: RawRow(statement: statement.sqliteStatement))
    }
}

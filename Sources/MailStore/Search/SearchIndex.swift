import GRDB
public import Models

/// Finds messages by words and facts, through the full-text index and the columns.
///
/// The index ignores case and diacritics, and finds words by their beginnings. Its results are candidates: the query
/// decides which of them match. They always include every message that matches.
public struct SearchIndex: Sendable {
    let file: StoreFile

    /// The candidates for a condition that are in a mailbox, newest first, in pages.
    public func walk(
        _ wanted: SearchCondition, account: AccountID?, since: Timestamp? = nil, until: Timestamp? = nil
    ) -> SearchWalk {
        SearchWalk(file: file, wanted: wanted, account: account, since: since, until: until)
    }

    /// The candidates for all the terms that are in a mailbox, newest first. Without terms: the newest messages.
    /// `since` leaves out messages with an earlier date.
    public func search(
        _ terms: [SearchTerm], account: AccountID?, since: Timestamp? = nil, limit: Int
    ) throws(MailStoreError) -> [EmailID] {
        guard limit > 0 else { return [] }
        var walk = walk(.all(terms.map { .words($0) }), account: account, since: since)
        return try walk.next(limit)
    }

    /// Whether a message contains the term. Also true if the index cannot tell.
    public func occurs(_ term: SearchTerm) throws(MailStoreError) -> Bool {
        try file.reading { db in
            guard try db.unindexed() == nil, let words = try WordExpression.of(.words(term), db) else {
                return true
            }
            let statement = try db.cachedStatement(sql: "SELECT 1 FROM search WHERE search MATCH ? LIMIT 1")
            if try Int.fetchOne(statement, arguments: [words]) != nil { return true }
            return try db.rows(withFileTextFor: .words(term)).map { $0.count > 0 } ?? false
        }
    }

    /// Words of the index with similar letters and a similar length, for "did you mean"; at most 5,000.
    public func similarWords(to word: String) throws(MailStoreError) -> [String] {
        let word = IndexedText(word).string
        let letters = Array(word.unicodeScalars)
        guard (3...IndexedText.longestWord).contains(letters.count),
            letters.allSatisfy({ IndexedText.isLetter($0) })
        else { return [] }
        let parts = (0...(letters.count - 3)).map { start in
            var part = String.UnicodeScalarView()
            part.append(contentsOf: letters[start..<(start + 3)])
            return "\"\(String(part))\""
        }
        let first = String(String.UnicodeScalarView(letters.prefix(1)))
        let slack = max(1, letters.count / 3)
        return try file.reading { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT word FROM (
                        SELECT word FROM word WHERE id IN
                            (SELECT rowid FROM word_part WHERE word_part MATCH ?1)
                        UNION SELECT word FROM word WHERE word >= ?2 AND word < ?2 || char(0x10FFFF)
                    ) WHERE length(word) BETWEEN ?3 AND ?4 LIMIT 5000
                    """,
                arguments: [
                    parts.joined(separator: " OR "), first, letters.count - slack, letters.count + slack,
                ])
        }
    }
}

/// One search, page after page: newest first, each message once.
///
/// A message that arrives between two pages is in a later page only if it is older than the messages returned so far.
public struct SearchWalk {
    private let file: StoreFile
    private let wanted: SearchCondition
    private let account: AccountID?
    private let since: Timestamp?
    private let until: Timestamp?
    private var hits: Hits?
    private var last: (date: Int64, row: Int64)?

    /// Up to this many candidates are sorted by date. If there are more, the search reads all messages of the account in
    /// the order of their dates, and takes the candidates among them.
    private static let fewHits = 2_000

    private enum Hits {
        /// All candidates, newest first, and how many were returned.
        case listed([EmailID], returned: Int)
        /// The rows of the candidates, in no order.
        case marked(RowSet)
        /// Every message is a candidate.
        case unknown
    }

    init(
        file: StoreFile, wanted: SearchCondition, account: AccountID?, since: Timestamp?, until: Timestamp?
    ) {
        self.file = file
        self.wanted = wanted
        self.account = account
        self.since = since
        self.until = until
    }

    /// The next messages; fewer than `count` only at the end.
    public mutating func next(_ count: Int) throws(MailStoreError) -> [EmailID] {
        var walk = self
        defer { self = walk }
        return try file.reading { db in try walk.next(count, db) }
    }

    private mutating func next(_ count: Int, _ db: Database) throws -> [EmailID] {
        let facts = FactExpression(wanted)
        let found: Hits
        if let hits { found = hits } else { found = try look(facts, db) }
        hits = found
        switch found {
        case .listed(let ids, let returned):
            let page = ids[returned..<min(ids.count, returned + count)]
            hits = .listed(ids, returned: page.endIndex)
            return Array(page)
        case .marked(let rows): return try walk(count, facts, db) { rows.contains($0) }
        case .unknown: return try walk(count, facts, db) { _ in true }
        }
    }

    // MARK: Looking

    private func look(_ facts: FactExpression, _ db: Database) throws -> Hits {
        guard let words = try WordExpression.of(wanted, db) else {
            return facts.isRare || account == nil ? try list("", facts, db) : .unknown
        }
        let statement = try db.cachedStatement(sql: "SELECT rowid FROM search WHERE search MATCH ?")
        let rows = try Row.fetchCursor(statement, arguments: [words])
        let raw = RawRow(statement: statement.sqliteStatement)
        var found = RowSet()
        while try rows.next() != nil { found.insert(raw.int(0)) }
        for row in try db.rows(withFileTextFor: wanted)?.all ?? [] { found.insert(row) }
        // Messages that are not in the index yet may have the words.
        if let last = try db.unindexed() { found.insert(through: last) }
        guard found.count > Self.fewHits, account != nil else {
            return try list("message.id IN (SELECT value FROM json_each(:rows)) AND", facts, db, found)
        }
        return .marked(found)
    }

    private func list(
        _ condition: String, _ facts: FactExpression, _ db: Database, _ rows: RowSet = RowSet()
    ) throws -> Hits {
        let sql = """
            SELECT email_id FROM message
            WHERE \(condition) (:account IS NULL OR account = (SELECT id FROM account WHERE name = :account))
                AND (:since IS NULL OR coalesce(sent, received) >= :since)
                AND (:until IS NULL OR coalesce(sent, received) <= :until) AND \(isThere(facts))
            ORDER BY coalesce(sent, received) DESC, id DESC
            """
        var arguments = facts.arguments
        // A nil is bound as NULL; leaving the key out would be an error.
        arguments.updateValue(account?.rawValue, forKey: "account")
        arguments.updateValue(since?.seconds, forKey: "since")
        arguments.updateValue(until?.seconds, forKey: "until")
        if !condition.isEmpty { arguments["rows"] = JSONList.of(rows.all) }
        let ids = try String.fetchAll(db, sql: sql, arguments: StatementArguments(arguments))
        return .listed(ids.map { EmailID(rawValue: $0) }, returned: 0)
    }

    /// The SQL for: the message is in a mailbox, and has the facts.
    private func isThere(_ facts: FactExpression) -> String {
        let place = """
            EXISTS (SELECT 1 FROM placement JOIN mailbox
                ON mailbox.id = coalesce(placement.shown_mailbox, placement.mailbox)
                WHERE placement.message = message.id AND NOT is_missing)
            """
        return facts.sql.map { "\(place) AND \($0)" } ?? place
    }

    // MARK: Walking

    /// Reads the messages of the account, newest first. For most of them, the index `message_date` has all
    /// columns.
    private mutating func walk(
        _ count: Int, _ facts: FactExpression, _ db: Database, _ isHit: (Int64) -> Bool
    ) throws -> [EmailID] {
        guard let account, let owner = try db.accountRow(account), count > 0 else { return [] }
        let upper = last?.date ?? until?.seconds ?? Int64.max
        let statement = try db.cachedStatement(
            sql: """
                SELECT id, coalesce(sent, received) FROM message
                WHERE account = ?1 AND coalesce(sent, received) >= ?2 AND coalesce(sent, received) <= ?3
                ORDER BY coalesce(sent, received) DESC, id DESC
                """)
        let check = try db.cachedStatement(
            sql: "SELECT email_id FROM message WHERE id = :row AND \(isThere(facts))")
        let rows = try Row.fetchCursor(
            statement, arguments: [owner, since?.seconds ?? Int64.min, upper])
        let raw = RawRow(statement: statement.sqliteStatement)
        var arguments = facts.arguments
        var found: [EmailID] = []
        while found.count < count, try rows.next() != nil {
            let (row, date) = (raw.int(0), raw.int(1))
            if let last, date == last.date, row >= last.row { continue }
            last = (date, row)
            guard isHit(row) else { continue }
            arguments["row"] = row
            if let id = try String.fetchOne(check, arguments: StatementArguments(arguments)) {
                found.append(EmailID(rawValue: id))
            }
        }
        return found
    }
}

/// A set of row numbers, one bit each.
struct RowSet {
    private var words: [UInt64] = []
    private(set) var count = 0

    func contains(_ row: Int64) -> Bool {
        let index = Int(row >> 6)
        return row >= 0 && index < words.count && words[index] & (1 << UInt64(row & 63)) != 0
    }

    mutating func insert(_ row: Int64) {
        guard row >= 0, !contains(row) else { return }
        let index = Int(row >> 6)
        if index >= words.count {
            words.append(contentsOf: repeatElement(0, count: max(index + 1 - words.count, words.count)))
        }
        words[index] |= 1 << UInt64(row & 63)
        count += 1
    }

    /// Every row from 1 to this one.
    mutating func insert(through last: Int64) {
        guard last > 0 else { return }
        for row in 1...last { insert(row) }
    }

    /// All rows, in ascending order.
    var all: [Int64] {
        words.indices.flatMap { index in
            (0..<64 as Range<Int64>).compactMap { bit in
                words[index] & (1 << UInt64(bit)) != 0 ? Int64(index) << 6 | bit : nil
            }
        }
    }
}

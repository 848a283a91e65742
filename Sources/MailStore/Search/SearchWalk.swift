import GRDB
public import Models

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
    private var last: Dated?

    private typealias Dated = (row: Int64, date: Int64)

    /// Up to this many candidates are sorted by date. If there are more, the search reads all messages of the account in
    /// the order of their dates, and takes the candidates among them.
    private static let fewHits = 2_000

    private enum Hits {
        /// All candidates, newest first, and how many were returned.
        case listed([EmailID], returned: Int)
        /// Many candidates, which the walk looks up as it comes to them.
        case many(CandidateRows)
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
        case .many(var candidates):
            defer { hits = .many(candidates) }
            return try walk(count, facts, db) { messages in
                try candidates.look(up: messages.map(\.row), db)
                return messages.filter { candidates.contains($0.row) }
            }
        case .unknown: return try walk(count, facts, db) { $0 }
        }
    }

    // MARK: Looking

    private func look(_ facts: FactExpression, _ db: Database) throws -> Hits {
        guard let words = try WordExpression.of(wanted, db) else {
            return facts.isRare || account == nil ? try list("", facts, db) : .unknown
        }
        var others = try db.rows(withFileTextFor: wanted) ?? RowSet()
        // Messages that are not in the index yet may have the words.
        if let last = try db.unindexed() { others.insert(through: last) }
        var candidates = CandidateRows(words, others: others)
        guard try candidates.lookUpAll(atMost: account == nil ? .max : Self.fewHits, db) else {
            return .many(candidates)
        }
        return try list("message.id IN (SELECT value FROM json_each(:rows)) AND", facts, db, candidates.all)
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

    /// Reads the messages of the account, newest first, a few hundred at a time. For most of them, the index
    /// `message_date` has all columns. `candidates` selects those that may match.
    private mutating func walk(
        _ count: Int, _ facts: FactExpression, _ db: Database, _ candidates: ([Dated]) throws -> [Dated]
    ) throws -> [EmailID] {
        guard let account, let owner = try db.accountRow(account), count > 0 else { return [] }
        let check = try db.cachedStatement(
            sql: "SELECT email_id FROM message WHERE id = :row AND \(isThere(facts))")
        var arguments = facts.arguments
        var found: [EmailID] = []
        var size = max(Self.smallestRead, min(count, Self.largestRead))
        while true {
            let messages = try next(size, owner: owner, db)
            for message in try candidates(messages) {
                arguments["row"] = message.row
                guard let id = try String.fetchOne(check, arguments: StatementArguments(arguments)) else {
                    continue
                }
                found.append(EmailID(rawValue: id))
                if found.count == count {
                    last = message
                    return found
                }
            }
            last = messages.last ?? last
            guard messages.count == size else { return found }
            size = min(size * 2, Self.largestRead)
        }
    }

    private static let smallestRead = 256
    private static let largestRead = 4_096

    /// The messages after ``last``.
    private func next(_ count: Int, owner: Int64, _ db: Database) throws -> [Dated] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT id, coalesce(sent, received) FROM message
                WHERE account = ?1 AND coalesce(sent, received) >= ?2 AND coalesce(sent, received) <= ?3
                ORDER BY coalesce(sent, received) DESC, id DESC
                """)
        let upper = last?.date ?? until?.seconds ?? Int64.max
        let rows = try Row.fetchCursor(
            statement, arguments: [owner, since?.seconds ?? Int64.min, upper])
        let raw = RawRow(statement: statement.sqliteStatement)
        var messages: [Dated] = []
        messages.reserveCapacity(count)
        while messages.count < count, try rows.next() != nil {
            let message: Dated = (raw.int(0), raw.int(1))
            if let last, message.date == last.date, message.row >= last.row { continue }
            messages.append(message)
        }
        return messages
    }
}

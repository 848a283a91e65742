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
        /// All candidates, newest first, without those of earlier pages.
        case dated(ArraySlice<Dated>)
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
        case .dated(let candidates):
            let page = try matching(candidates, atMost: count, facts, db)
            hits = .dated(candidates[page.end...])
            return page.messages
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
            guard facts.isRare || account == nil else { return .unknown }
            return .dated(try dated(facts.sql ?? "TRUE", facts.arguments, db)[...])
        }
        var others = try db.rows(withFileTextFor: wanted) ?? RowSet()
        // Messages that are not in the index yet may have the words.
        if let last = try db.unindexed() { others.insert(through: last) }
        var candidates = CandidateRows(words, others: others)
        guard try candidates.lookUpAll(atMost: account == nil ? .max : Self.fewHits, db) else {
            return .many(candidates)
        }
        return .dated(
            try dated(
                "message.id IN (SELECT value FROM json_each(:rows))",
                ["rows": JSONList.of(candidates.all.all)],
                db)[...])
    }

    /// The messages that meet the condition, newest first. Only those that a page needs are checked further.
    private func dated(
        _ condition: String, _ arguments: [String: (any DatabaseValueConvertible)?], _ db: Database
    ) throws -> [Dated] {
        let sql = """
            SELECT id, coalesce(sent, received) FROM message
            WHERE (:account IS NULL OR account = (SELECT id FROM account WHERE name = :account))
                AND (:since IS NULL OR coalesce(sent, received) >= :since)
                AND (:until IS NULL OR coalesce(sent, received) <= :until) AND \(condition)
            ORDER BY coalesce(sent, received) DESC, id DESC
            """
        var arguments = arguments
        // A nil is bound as NULL; leaving the key out would be an error.
        arguments.updateValue(account?.rawValue, forKey: "account")
        arguments.updateValue(since?.seconds, forKey: "since")
        arguments.updateValue(until?.seconds, forKey: "until")
        let statement = try db.makeStatement(sql: sql)
        let rows = try Row.fetchCursor(statement, arguments: StatementArguments(arguments))
        let raw = RawRow(statement: statement.sqliteStatement)
        var messages: [Dated] = []
        while try rows.next() != nil { messages.append((raw.int(0), raw.int(1))) }
        return messages
    }

    /// The first of the messages that are in a mailbox and have the facts, and where the check ended.
    private func matching(
        _ messages: ArraySlice<Dated>, atMost count: Int, _ facts: FactExpression, _ db: Database
    ) throws -> (messages: [EmailID], end: Int) {
        let check = try db.cachedStatement(
            sql: "SELECT email_id FROM message WHERE id = :row AND \(isThere(facts))")
        var arguments = facts.arguments
        var found: [EmailID] = []
        for index in messages.indices {
            if found.count == count { return (found, index) }
            arguments["row"] = messages[index].row
            guard let id = try String.fetchOne(check, arguments: StatementArguments(arguments)) else {
                continue
            }
            found.append(EmailID(rawValue: id))
        }
        return (found, messages.endIndex)
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
        var found: [EmailID] = []
        var size = max(Self.smallestRead, min(count, Self.largestRead))
        while true {
            let messages = try next(size, owner: owner, db)
            let candidates = try candidates(messages)
            let page = try matching(candidates[...], atMost: count - found.count, facts, db)
            found += page.messages
            if found.count == count {
                last = candidates[page.end - 1]
                return found
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

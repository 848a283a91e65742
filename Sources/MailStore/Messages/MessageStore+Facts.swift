import GRDB
public import Models

/// Facts about messages for rules and commands: one value for each place of a message.
///
/// Places in a deleted mailbox are left out, because opus cannot change them. Open steps are shown as if they
/// were done; the key still names the current place.
extension MessageStore {
    /// Newest first, by ``MessageFacts/date``.
    ///
    /// Without `.text` in `parts`, `text` is nil. `decodeHeaders` parses a header block, and is called for
    /// `.headers` only.
    public func facts(
        _ selection: FactSelection, including parts: FactParts = [],
        decodeHeaders: ([UInt8]) -> [HeaderField] = { _ in [] }
    ) throws(MailStoreError) -> [MessageFacts] {
        try file.reading { db in
            let reader = FactReader(db: db, mailboxes: try db.allMailboxes(), parts: parts)
            return try reader.read(selection, decodeHeaders: decodeHeaders)
        }
    }
}

extension MessageStore {
    /// Headers and texts of stored messages, for the rules that need them. `decodeHeaders` is called for
    /// `.headers` only.
    public func contents(
        of ids: [EmailID], including parts: FactParts, decodeHeaders: ([UInt8]) -> [HeaderField]
    ) throws(MailStoreError) -> [EmailID: MessageContent] {
        try file.reading { db in
            let headers = parts.contains(.headers) ? "headers" : "NULL"
            let text = parts.contains(.text) ? "text" : "NULL"
            let statement = try db.cachedStatement(
                sql: """
                    SELECT email_id, \(headers), \(text) FROM message JOIN content ON content.message = message.id
                    WHERE email_id IN (SELECT value FROM json_each(?))
                    """)
            let rows = try Row.fetchCursor(statement, arguments: [try JSONList.of(ids.map(\.rawValue))])
            let raw = RawRow(statement: statement.sqliteStatement)
            var contents: [EmailID: MessageContent] = [:]
            contents.reserveCapacity(ids.count)
            while try rows.next() != nil {
                contents[EmailID(rawValue: raw.text(0))] = MessageContent(
                    headers: parts.contains(.headers) ? decodeHeaders(Array(raw.bytes(1))) : [],
                    text: parts.contains(.text) ? raw.text(2) : nil)
            }
            return contents
        }
    }
}

/// Reads facts inside one consistent view.
struct FactReader {
    let db: Database
    let mailboxes: [Int64: KnownMailbox]
    let parts: FactParts

    func read(
        _ selection: FactSelection, decodeHeaders: ([UInt8]) -> [HeaderField]
    ) throws -> [MessageFacts] {
        let (condition, wanted) = try selection.condition()
        let present = JSONList.of(mailboxes.filter { selection.takes($0.value) }.keys)
        let statement = try db.cachedStatement(sql: sql(condition))
        let arguments: StatementArguments = wanted.map { [present, $0] } ?? [present]
        return try read(statement, arguments, decodeHeaders: decodeHeaders)
    }

    /// The facts of these places, without headers and texts.
    func read(_ places: [PlaceRow]) throws -> [MessageFacts] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(FactMaker.columns) FROM json_each(?1) AS wanted
                CROSS JOIN placement ON mailbox = json_extract(wanted.value, '$[0]')
                    AND uid = json_extract(wanted.value, '$[1]')
                CROSS JOIN message ON message.id = placement.message
                """)
        let list = "[" + places.map { "[\($0.mailbox),\($0.uid)]" }.joined(separator: ",") + "]"
        return try read(statement, [list], decodeHeaders: { _ in [] })
    }

    private func read(
        _ statement: Statement, _ arguments: StatementArguments, decodeHeaders: ([UInt8]) -> [HeaderField]
    ) throws -> [MessageFacts] {
        var maker = FactMaker(
            mailboxes: mailboxes, todos: try openTodos(), due: try dueThreads())
        let rows = try Row.fetchCursor(statement, arguments: arguments)
        let raw = RawRow(statement: statement.sqliteStatement)
        var facts: [MessageFacts] = []
        var ranks: [Rank] = []
        while try rows.next() != nil {
            guard var message = maker.facts(raw) else { continue }
            if parts.contains(.headers) { message.headers = decodeHeaders(Array(raw.bytes(FactMaker.width))) }
            if parts.contains(.text) { message.text = raw.text(FactMaker.width + 1) }
            ranks.append(
                Rank(
                    date: message.date, message: raw.int(13), mailbox: raw.int(0), uid: raw.int(1),
                    index: facts.count))
            facts.append(message)
        }
        return Self.sorted(facts, ranks)
    }

    /// The position of a row in the result: newest first.
    private struct Rank: Comparable {
        let date: Timestamp
        let message: Int64
        let mailbox: Int64
        let uid: Int64
        let index: Int

        static func < (a: Rank, b: Rank) -> Bool {
            if a.date != b.date { return a.date > b.date }
            if a.message != b.message { return a.message > b.message }
            return (a.mailbox, a.uid) < (b.mailbox, b.uid)
        }
    }

    /// Sorts here, because SQLite would copy every column into its sorter and back.
    private static func sorted(_ facts: consuming [MessageFacts], _ ranks: [Rank]) -> [MessageFacts] {
        let order = ranks.sorted().map(\.index)
        return order.map { facts[$0] }
    }

    /// Places that are shown in their own mailbox, and places that open steps move into this one. No place is
    /// both.
    private func sql(_ condition: String) -> String {
        let content = parts.isEmpty ? "" : "JOIN content ON content.message = message.id"
        let headers = parts.contains(.headers) ? "headers" : "NULL"
        let text = parts.contains(.text) ? "text" : "NULL"
        let rows = """
            SELECT \(FactMaker.columns), \(headers), \(text)
            FROM placement JOIN message ON message.id = placement.message \(content)
            """
        // SQLite may use the index on the mailbox only if there is no other condition.
        let own = condition.isEmpty ? "" : "+"
        return """
            \(rows) WHERE \(own)mailbox IN (SELECT value FROM json_each(?1)) AND shown_mailbox IS NULL \(condition)
            UNION ALL
            \(rows) WHERE \(own)shown_mailbox IN (SELECT value FROM json_each(?1)) \(condition)
            """
    }

    /// Usually empty.
    private func dueThreads() throws -> Set<String> {
        try String.fetchSet(db, sql: "SELECT thread FROM conversation_due")
    }

    private func openTodos() throws -> OpenTodos {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT thread, todo_link.todo, coalesce(conversation, thread) FROM todo_link
                JOIN todo_file ON todo_file.todo = todo_link.todo AND is_open = 1
                JOIN message ON message.id = todo_link.message
                ORDER BY todo_link.todo
                """)
        var todos = OpenTodos()
        while let row = try rows.next() {
            let todo = TodoID(row[1])
            todos.ofThreads[ThreadID(rawValue: row[0]), default: []].append(todo)
            todos.ofConversations[ThreadID(rawValue: row[2]), default: []].append(todo)
        }
        return todos
    }
}

extension FactSelection {
    /// Whether the selection may contain messages of the mailbox.
    func takes(_ known: KnownMailbox) -> Bool {
        guard !known.isMissing else { return false }
        return switch self {
        case .role(let account, let role):
            known.mailbox.role == role && (account == nil || known.mailbox.account == account)
        case .mailbox(let account, let name):
            known.mailbox.name == name && known.mailbox.account == account
        case .everything(let account): account == nil || known.mailbox.account == account
        case .ids, .thread, .threads: true
        }
    }

    /// An additional condition, and its argument.
    func condition() throws -> (sql: String, argument: String?) {
        switch self {
        case .role, .mailbox, .everything: ("", nil)
        case .ids(let ids):
            ("AND email_id IN (SELECT value FROM json_each(?2))", try JSONList.of(ids.map(\.rawValue)))
        case .thread(let thread): ("AND thread = ?2", thread.rawValue)
        case .threads(let threads):
            ("AND thread IN (SELECT value FROM json_each(?2))", try JSONList.of(threads.map(\.rawValue)))
        }
    }
}

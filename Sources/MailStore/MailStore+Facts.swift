/// Facts about messages, as the rules and the commands read them: one value for each place of a message.
///
/// Places in a mailbox that is gone are not facts: nothing can be done there. What open steps will have made of a place
/// is shown as if it were done; the key still names the place as it is.

import GRDB
public import Models

extension MailStore {
    /// Newest first, by the time that a message is judged by (``MessageFacts/date``).
    ///
    /// Without `.text` in `parts`, `text` is nil. `decodeHeaders` makes fields of a header block, and is
    /// called for `.headers` only.
    public func facts(
        _ selection: FactSelection, including parts: FactParts = [],
        decodeHeaders: ([UInt8]) -> [HeaderField] = { _ in [] }
    ) throws(MailStoreError) -> [MessageFacts] {
        try reading { db in
            let reader = FactReader(db: db, mailboxes: try db.allMailboxes(), parts: parts)
            return try reader.read(selection, decodeHeaders: decodeHeaders)
        }
    }
}

/// Reads facts inside one consistent view.
private struct FactReader {
    let db: Database
    let mailboxes: [Int64: KnownMailbox]
    let parts: FactParts

    func read(
        _ selection: FactSelection, decodeHeaders: ([UInt8]) -> [HeaderField]
    ) throws -> [MessageFacts] {
        let todos = try openTodos()
        let (condition, wanted) = try condition(selection)
        let present = JSONList.of(mailboxes.filter(isWanted(selection)).keys)
        let statement = try db.cachedStatement(sql: sql(condition))
        let arguments: StatementArguments = wanted.map { [present, $0] } ?? [present]
        let rows = try Row.fetchCursor(statement, arguments: arguments)
        var facts: [MessageFacts] = []
        while let row = try rows.next() {
            guard var message = message(row) else { continue }
            message.openTodos = todos[message.thread] ?? []
            if parts.contains(.headers) { message.headers = decodeHeaders(row.bytes(14)) }
            if parts.contains(.text) { message.text = row[15] }
            facts.append(message)
        }
        return facts
    }

    private func isWanted(_ selection: FactSelection) -> (Int64, KnownMailbox) -> Bool {
        { _, known in
            guard !known.isMissing else { return false }
            return switch selection {
            case .role(let account, let role):
                known.mailbox.role == role && (account == nil || known.mailbox.account == account)
            case .mailbox(let account, let name):
                known.mailbox.name == name && known.mailbox.account == account
            case .everything(let account): account == nil || known.mailbox.account == account
            case .ids, .thread, .threads: true
            }
        }
    }

    /// A condition beside the mailboxes, and its argument.
    private func condition(_ selection: FactSelection) throws -> (sql: String, argument: String?) {
        switch selection {
        case .role, .mailbox, .everything: ("", nil)
        case .ids(let ids):
            ("AND email_id IN (SELECT value FROM json_each(?2))", try JSONList.of(ids.map(\.rawValue)))
        case .thread(let thread): ("AND thread = ?2", thread.rawValue)
        case .threads(let threads):
            ("AND thread IN (SELECT value FROM json_each(?2))", try JSONList.of(threads.map(\.rawValue)))
        }
    }

    private func sql(_ condition: String) -> String {
        let content = parts.isEmpty ? "" : "JOIN content ON content.message = message.id"
        let headers = parts.contains(.headers) ? "headers" : "NULL"
        let text = parts.contains(.text) ? "text" : "NULL"
        return """
            SELECT mailbox, uid, coalesce(shown_flags, flags), coalesce(shown_keywords, keywords), email_id, thread, message_id, subject, addresses, sent,
                received, size, attachments, message.id, \(headers), \(text), exceeded_limits, shown_mailbox
            FROM placement JOIN message ON message.id = placement.message \(content)
            WHERE ((mailbox IN (SELECT value FROM json_each(?1)) AND shown_mailbox IS NULL)
                OR shown_mailbox IN (SELECT value FROM json_each(?1))) \(condition)
            ORDER BY coalesce(sent, received) DESC, message.id DESC, mailbox, uid
            """
    }

    private func message(_ row: Row) -> MessageFacts? {
        guard let known = mailboxes[row[0]] else { return nil }
        let shown = (row[17] as Int64?).flatMap { mailboxes[$0] } ?? known
        var facts = MessageFacts(
            id: EmailID(rawValue: row[4]), key: known.key(uid: row.uid32(1) ?? 0), mailbox: shown.mailbox,
            thread: ThreadID(rawValue: row[5]), received: row.time(10) ?? Timestamp(seconds: 0))
        let addresses: Packed.Addresses = Packed.addresses(row[8] as String)
        facts.messageID = (row[6] as String?).map { MessageID($0) }
        facts.subject = row[7]
        facts.from = addresses.from
        facts.sender = addresses.sender
        facts.replyTo = addresses.replyTo
        facts.to = addresses.to
        facts.cc = addresses.cc
        facts.bcc = addresses.bcc
        facts.sent = row.time(9)
        facts.size = row[11]
        facts.flags = Packed.flags(row[2] as Int64)
        facts.keywords = Packed.keywords(row[3] as String)
        facts.attachments = Packed.attachments(row[12] as String)
        facts.exceededLimits = Packed.words(row[16] as String)
        return facts
    }

    /// The open tasks of every conversation that has one.
    private func openTodos() throws -> [ThreadID: [TodoID]] {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT thread, todo_link.todo FROM todo_link
                JOIN todo_file ON todo_file.todo = todo_link.todo AND is_open = 1
                JOIN message ON message.id = todo_link.message
                ORDER BY todo_link.todo
                """)
        var todos: [ThreadID: [TodoID]] = [:]
        while let row = try rows.next() {
            todos[ThreadID(rawValue: row[0]), default: []].append(TodoID(row[1]))
        }
        return todos
    }
}

// A row of facts, read as the bytes that SQLite has. A text that many rows share is decoded only once.

import GRDB
import GRDBSQLite
import Glibc
import Models

/// One row of a statement; its bytes are valid until the next row.
struct RawRow {
    let statement: SQLiteStatement

    func isNull(_ index: Int32) -> Bool { sqlite3_column_type(statement, index) == SQLITE_NULL }

    func int(_ index: Int32) -> Int64 { sqlite3_column_int64(statement, index) }

    func bytes(_ index: Int32) -> UnsafeBufferPointer<UInt8> {
        // Read as a blob: SQLite would copy a text to append a NUL.
        let start = sqlite3_column_blob(statement, index)
        let count = Int(sqlite3_column_bytes(statement, index))
        return UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: count)
    }

    func text(_ index: Int32) -> String { String(decoding: bytes(index), as: UTF8.self) }

    func isSame(_ a: Int32, _ b: Int32) -> Bool { Bytes.isSame(bytes(a), bytes(b)) }
}

private enum Bytes {
    static func isSame(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
        guard a.count == b.count else { return false }
        guard let first = a.baseAddress, let second = b.baseAddress else { return true }
        return memcmp(first, second, a.count) == 0
    }
}

/// Decodes equal bytes only once. Keeps at most `count` values; a newer value replaces an older one.
struct Repeats<Value> {
    private var slots: [(bytes: [UInt8], value: Value)?]

    init(_ count: Int) { slots = Array(repeating: nil, count: count) }

    mutating func value(
        _ bytes: UnsafeBufferPointer<UInt8>, _ make: (UnsafeBufferPointer<UInt8>) -> Value
    ) -> Value {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let slot = Int((hash ^ (hash >> 32)) % UInt64(slots.count))
        if let known = slots[slot],
            known.bytes.withUnsafeBufferPointer({ Bytes.isSame($0, bytes) })
        {
            return known.value
        }
        let value = make(bytes)
        slots[slot] = (Array(bytes), value)
        return value
    }
}

/// The open tasks of every conversation and of every thread.
struct OpenTodos {
    var ofThreads: [ThreadID: [TodoID]] = [:]
    var ofConversations: [ThreadID: [TodoID]] = [:]

    var isEmpty: Bool { ofThreads.isEmpty }
}

/// Makes facts from rows, and reuses values that rows share.
struct FactMaker {
    let mailboxes: [Int64: KnownMailbox]
    let todos: OpenTodos
    /// Threads that have not been split into conversations.
    let due: Set<String>
    private var addresses = Repeats<[EmailAddress]>(4_096)
    private var keywords = Repeats<Set<Keyword>>(64)

    init(mailboxes: [Int64: KnownMailbox], todos: OpenTodos, due: Set<String>) {
        self.mailboxes = mailboxes
        self.todos = todos
        self.due = due
    }

    static let columns = """
        mailbox, uid, coalesce(shown_flags, flags), coalesce(shown_keywords, keywords), email_id, thread, message_id,
        subject, addresses, sent, received, size, attachments, message.id, exceeded_limits, shown_mailbox,
        signed, conversation, event
        """

    /// The number of columns.
    static let width: Int32 = 19

    /// nil: its mailbox was deleted.
    mutating func facts(_ row: RawRow) -> MessageFacts? {
        guard let known = mailboxes[row.int(0)] else { return nil }
        let shown = row.isNull(15) ? known : mailboxes[row.int(15)] ?? known
        let id = row.text(4)
        // Most conversations have one message and the same id as it.
        let thread = row.isSame(4, 5) ? id : row.text(5)
        var facts = MessageFacts(
            id: EmailID(rawValue: id), key: known.key(uid: UInt32(truncatingIfNeeded: row.int(1))),
            mailbox: shown.mailbox, thread: ThreadID(rawValue: thread),
            received: Timestamp(seconds: row.int(10)))
        if !row.isNull(6) { facts.messageID = MessageID(row.text(6)) }
        facts.subject = row.text(7)
        setAddresses(of: &facts, row.bytes(8))
        if !row.isNull(9) { facts.sent = Timestamp(seconds: row.int(9)) }
        facts.size = Int(row.int(11))
        facts.flags = Packed.flags(row.int(2))
        let labels = row.bytes(3)
        if !labels.isEmpty {
            facts.keywords = keywords.value(labels) { Packed.keywords(String(decoding: $0, as: UTF8.self)) }
        }
        let files = row.bytes(12)
        if !files.isEmpty { facts.attachments = Packed.attachments(String(decoding: files, as: UTF8.self)) }
        let limits = row.bytes(14)
        if !limits.isEmpty { facts.exceededLimits = Packed.words(String(decoding: limits, as: UTF8.self)) }
        let signed = row.bytes(16)
        if !signed.isEmpty { facts.signature = Packed.signature(String(decoding: signed, as: UTF8.self)) }
        let event = row.bytes(18)
        if !event.isEmpty { facts.event = Packed.event(String(decoding: event, as: UTF8.self)) }
        let isDue = !due.isEmpty && due.contains(thread)
        if isDue {
            facts.conversation = ThreadID(rawValue: id)
        } else if !row.isNull(17) {
            facts.conversation = ThreadID(rawValue: row.text(17))
        }
        if !todos.isEmpty {
            facts.openTodos =
                (isDue ? todos.ofThreads[facts.thread] : todos.ofConversations[facts.conversation]) ?? []
        }
        return facts
    }

    /// Each of the six lists separately: writers and recipients often repeat, but seldom together.
    private mutating func setAddresses(of facts: inout MessageFacts, _ packed: UnsafeBufferPointer<UInt8>) {
        var start = packed.startIndex
        for list in 0..<6 where start <= packed.endIndex {
            let end = packed[start...].firstIndex(of: Packed.group) ?? packed.endIndex
            if end > start {
                let found = addresses.value(UnsafeBufferPointer(rebasing: packed[start..<end])) {
                    Packed.addressList($0)
                }
                switch list {
                case 0: facts.from = found
                case 1: facts.sender = found
                case 2: facts.replyTo = found
                case 3: facts.to = found
                case 4: facts.cc = found
                case _: facts.bcc = found
                }
            }
            start = end + 1
        }
    }
}

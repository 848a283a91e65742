import GRDB
import Models
import Synchronization

/// Adds messages to the search index and removes them, inside the transaction of the caller.
struct IndexWriter {
    let db: Database
    let known: KnownWords

    /// The indexed columns of a message.
    struct Columns {
        let subject: IndexedText
        let addresses: IndexedText
        let text: IndexedText
        /// The names of its attachments.
        let files: IndexedText

        /// `addresses` and `attachments` are packed.
        init(subject: String, addresses: String, text: IndexedText, attachments: String) {
            self.subject = IndexedText(subject)
            self.addresses = IndexedText(addresses)
            self.text = text
            files = IndexedText(
                attachments.isEmpty
                    ? "" : Packed.attachments(attachments).map(\.name).joined(separator: "\n"))
        }

        fileprivate var all: [IndexedText] { [subject, addresses, text, files] }
    }

    /// Adds a message, unless ``SearchIndex/catchUp(limit:)`` will add it later.
    func add(_ row: Int64, _ columns: Columns) throws {
        if let last = try db.unindexed(), row <= last { return }
        try index(row, columns)
    }

    func index(_ row: Int64, _ columns: Columns) throws {
        let texts = columns.all.map(\.forIndex)
        try db.cachedStatement(
            sql: "INSERT INTO search (rowid, subject, addresses, text, files) VALUES (?, ?, ?, ?, ?)"
        ).execute(arguments: [row, texts[0], texts[1], texts[2], texts[3]])
        try note(known.newWords(of: columns.all))
    }

    /// Saves words, for searches by parts of words and for suggestions.
    func note(_ words: [String]) throws {
        guard !words.isEmpty else { return }
        let insert = try db.cachedStatement(sql: "INSERT OR IGNORE INTO word (word) VALUES (?)")
        let part = try db.cachedStatement(sql: "INSERT INTO word_part (rowid, word) VALUES (?, ?)")
        func add(_ word: String) throws {
            try insert.execute(arguments: [word])
            if db.changesCount > 0 { try part.execute(arguments: [db.lastInsertedRowID, word]) }
        }
        for word in words {
            try add(word)
            // Parts of words are looked up without accents.
            if let plain = PlainLetters.of(Array(word.utf8)) {
                try add(String(decoding: plain, as: UTF8.self))
            }
        }
    }

    /// Removes a message. The index keeps no copy of the text, so FTS5 needs the text again.
    func remove(_ row: Int64, _ columns: Columns) throws {
        if let last = try db.unindexed(), row <= last { return }
        let texts = columns.all.map(\.forIndex)
        try db.cachedStatement(
            sql: """
                INSERT INTO search (search, rowid, subject, addresses, text, files)
                    VALUES ('delete', ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [row, texts[0], texts[1], texts[2], texts[3]])
    }
}

extension Database {
    /// The last row that is not in the index yet; all rows before it are missing too. nil: the index is complete.
    func unindexed() throws -> Int64? {
        try Int64.fetchOne(cachedStatement(sql: "SELECT max(up_to) FROM unindexed"))
    }

    /// The indexed columns of the messages from `first` to `last`, the last one first.
    func indexedColumns(
        from first: Int64, through last: Int64, limit: Int
    ) throws -> [(Int64, IndexWriter.Columns)] {
        let rows = try Row.fetchAll(
            cachedStatement(
                sql: """
                    SELECT message.id, subject, addresses, attachments, text FROM message
                    JOIN content ON content.message = message.id
                    WHERE message.id BETWEEN ? AND ? ORDER BY message.id DESC LIMIT ?
                    """), arguments: [first, last, limit])
        return rows.map { row in
            (
                row[0],
                IndexWriter.Columns(
                    subject: row[1], addresses: row[2], text: IndexedText(row[4]), attachments: row[3])
            )
        }
    }
}

/// Hashes of the words that this process has written to the store. Most words of a new message are among them, so the
/// store need not look them up.
final class KnownWords: Sendable {
    private struct State {
        var committed: Set<UInt64> = []
        /// Words of the open transaction.
        var open: Set<UInt64> = []

        mutating func isNew(_ word: UInt64) -> Bool {
            !committed.contains(word) && open.insert(word).inserted
        }
    }

    private let state = Mutex(State())
    /// Different in each process, so that a sender cannot choose words with equal hashes.
    private let seed = UInt64.random(in: 1...UInt64.max)

    private static let most = 1_000_000

    /// Call this when a transaction begins. Its words are kept only if it is committed.
    func begin(_ db: Database) {
        state.withLock { $0.open = [] }
        db.afterNextTransaction(onCommit: { _ in self.keep() }, onRollback: { _ in self.drop() })
    }

    private func keep() {
        state.withLock { state in
            if state.committed.count > Self.most { state.committed = [] }
            state.committed.formUnion(state.open)
            state.open = []
        }
    }

    private func drop() { state.withLock { $0.open = [] } }

    /// Each word is returned once in a process. Adds the words to the open transaction.
    func newWords(of texts: [IndexedText]) -> [String] {
        state.withLock { state in
            texts.flatMap { text in text.words { state.isNew(hash($0)) } }
        }
    }

    private func hash(_ word: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var hash = seed
        for byte in word { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        hash = (hash ^ (hash >> 29)) &* (seed | 1)
        return hash ^ (hash >> 32)
    }
}

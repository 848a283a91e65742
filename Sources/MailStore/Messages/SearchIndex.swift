import GRDB
public import Models

/// Words to messages, through the full-text index.
///
/// The question is rebuilt from tokens that SQLite's own tokenizer made of it: no quote, operator or
/// column name of a stranger reaches the index's grammar, so there is no syntax error to catch.
/// The index folds case and diacritics. A term without a letter or digit (an emoji, `***`) cannot narrow
/// the search and is passed over: the answer always holds every message that has all the words.
public struct SearchIndex: Sendable {
    let file: StoreFile

    /// Indexes messages that are in the store already. `rows` is a condition on `id`, in words of our own.
    static func add(_ rows: String, _ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO search (rowid, subject, addresses, text)
                    SELECT id, subject, addresses, text FROM searchable WHERE \(rows)
                """)
    }

    /// The messages that have all the terms and are in a mailbox, newest first.
    ///
    /// Without terms: the newest messages. `since`: none that is dated before it.
    public func search(
        _ terms: [SearchTerm], account: AccountID?, since: Timestamp? = nil, limit: Int
    ) throws(MailStoreError) -> [EmailID] {
        try file.reading { db in
            let expression = try SearchExpression(terms, db: db).text
            let condition = expression.isEmpty ? "" : "search MATCH ?4 AND"
            let source = expression.isEmpty ? "message" : "search JOIN message ON message.id = search.rowid"
            let statement = try db.cachedStatement(
                sql: """
                    SELECT email_id FROM \(source)
                    WHERE \(condition)
                        (?2 IS NULL OR message.account = (SELECT id FROM account WHERE name = ?2))
                        AND (?3 IS NULL OR coalesce(sent, received) >= ?3)
                        AND EXISTS (SELECT 1 FROM placement JOIN mailbox
                            ON mailbox.id = coalesce(placement.shown_mailbox, placement.mailbox)
                            WHERE placement.message = message.id AND NOT is_missing)
                    ORDER BY coalesce(sent, received) DESC, message.id DESC LIMIT ?1
                    """)
            var arguments: StatementArguments = [max(0, limit), account?.rawValue, since?.seconds]
            if !expression.isEmpty { arguments += [expression] }
            return try String.fetchAll(statement, arguments: arguments).map { EmailID(rawValue: $0) }
        }
    }
}

/// An FTS5 expression of quoted phrases, joined by AND. As in the query language, the last word of each phrase is a
/// prefix: `invoice` finds "Invoices". SQLite's FTS5 documentation, §3.
private struct SearchExpression {
    /// A person does not search for more terms. Leaving terms out only widens the answer.
    static let maximumTerms = 64
    static let maximumTokens = 64
    static let maximumScalars = 4_096

    /// Empty: no term can be looked up.
    private(set) var text = ""

    init(_ terms: [SearchTerm], db: Database) throws {
        let tokenizer = try db.makeTokenizer(.unicode61(diacritics: .remove))
        var phrases: [String] = []
        for term in terms.prefix(Self.maximumTerms) {
            let wanted = String(
                String.UnicodeScalarView(term.text.unicodeScalars.prefix(Self.maximumScalars)))
            let tokens = try tokenizer.tokenize(query: Packed.text(wanted)).map(\.token)
            guard !tokens.isEmpty else { continue }
            phrases.append(column(term.field) + quoted(tokens.prefix(Self.maximumTokens)))
        }
        text = phrases.joined(separator: " AND ")
    }

    private func column(_ field: SearchTerm.Field) -> String {
        switch field {
        case .subject: "subject : "
        case .address: "addresses : "
        case .text: "text : "
        case .any: ""
        }
    }

    private func quoted(_ tokens: some Sequence<String>) -> String {
        "\"" + tokens.joined(separator: " ").split(separator: "\"").joined(separator: "\"\"") + "\" *"
    }
}

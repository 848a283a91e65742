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

    /// Whether a message contains the term. Also true if the index cannot tell. A word at the beginning of one that is
    /// longer than ``IndexedText/longestWord`` does not count.
    public func occurs(_ term: SearchTerm) throws(MailStoreError) -> Bool {
        try file.reading { db in
            guard try db.unindexed() == nil,
                let words = try WordExpression.of(.words(term), db, takesLongWords: term.match == .part)
            else { return true }
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

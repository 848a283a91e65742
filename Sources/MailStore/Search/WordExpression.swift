import GRDB

/// Makes an expression of FTS5 of the words of a condition. SQLite's FTS5 documentation, §3.
///
/// It is rebuilt from tokens that SQLite's own tokenizer made of the words: no quote, operator or column name of a stranger
/// reaches the index's grammar, so there is no syntax error to catch. A term without a letter or digit (an emoji, `***`)
/// cannot narrow the search and says nothing.
struct WordExpression {
    /// A person does not search for more terms. Leaving terms out only widens the answer.
    static let maximumTerms = 64
    static let maximumTokens = 64
    static let maximumScalars = 4_096
    /// A part of so many words is not looked up.
    static let maximumWords = 1_000

    private let db: Database
    private let tokenizer: any FTS5Tokenizer
    private var terms = 0

    init(_ db: Database) throws {
        self.db = db
        tokenizer = try db.makeTokenizer(.unicode61(diacritics: .remove, categories: "L* N*"))
    }

    /// nil: the index cannot tell.
    static func of(_ condition: SearchCondition, _ db: Database) throws -> String? {
        var maker = try WordExpression(db)
        return try condition.expression { leaf in
            if case .words(let term) = leaf { return try maker.expression(term) }
            return nil
        }
    }

    /// What the texts of files are searched for.
    enum OfFiles {
        /// No condition asks for a text of files.
        case nothing
        /// The index cannot tell.
        case everything
        case match(String)
    }

    /// An expression for the index of the texts of files: at least one of the words of the condition. A message that matches
    /// because of its files has one of them there; the other messages are found without this index.
    static func ofFiles(_ condition: SearchCondition, _ db: Database) throws -> OfFiles {
        var maker = try WordExpression(db)
        var open = [condition]
        var found: [String] = []
        while let next = open.popLast() {
            switch next {
            case .everything, .fact: continue
            case .all(let children), .any(let children): open += children
            case .words(let term) where term.field == .any || term.field == .fileText:
                maker.terms += 1
                guard maker.terms <= maximumTerms, let phrases = try maker.phrases(term) else {
                    return .everything
                }
                found.append(phrases)
            case .words: continue
            }
        }
        return found.isEmpty ? .nothing : .match(found.joined(separator: " OR "))
    }

    mutating func expression(_ term: SearchTerm) throws -> String? {
        terms += 1
        guard terms <= Self.maximumTerms else { return nil }
        // The index of messages has no text of files: nothing matches an empty phrase.
        if term.field == .fileText { return "subject : \"\"" }
        return try phrases(term).map { column(term.field) + $0 }
    }

    /// The words of a term, for any column; nil: the index cannot tell.
    private func phrases(_ term: SearchTerm) throws -> String? {
        let wanted = String(String.UnicodeScalarView(term.text.unicodeScalars.prefix(Self.maximumScalars)))
        let text = IndexedText(wanted)
        let phrases: [String]
        switch term.match {
        case .words: phrases = try quoted(text.string, isOpen: true).map { [$0] } ?? []
        case .part: phrases = try fragments(text.text).compactMap { try expression($0) }
        }
        guard !phrases.isEmpty else { return nil }
        return phrases.count == 1 ? phrases[0] : "(" + phrases.joined(separator: " AND ") + ")"
    }

    private func column(_ field: SearchTerm.Field) -> String {
        switch field {
        case .subject: "subject : "
        case .address: "addresses : "
        case .text: "text : "
        case .fileName: "files : "
        case .fileText: ""
        case .any: "{subject addresses text} : "
        }
    }

    /// One phrase; nil: it has no word. `isOpen`: its last word may be the beginning of a longer one.
    private func quoted(_ text: String, isOpen: Bool) throws -> String? {
        let tokens = try tokenizer.tokenize(query: text).map(\.token)
        guard !tokens.isEmpty else { return nil }
        let isCut = tokens.count > Self.maximumTokens
        let words = tokens.prefix(Self.maximumTokens).joined(separator: " ")
        let phrase = "\"" + words.split(separator: "\"").joined(separator: "\"\"") + "\""
        return isOpen || isCut ? phrase + " *" : phrase
    }

    // MARK: Parts of words

    /// Letters of a part that are next to one another.
    private struct Fragment {
        var text: String
        /// The word may begin before it.
        var opensBefore: Bool
        /// The word may continue after it.
        var opensAfter: Bool
    }

    private func fragments(_ text: [UInt8]) -> [Fragment] {
        var result: [Fragment] = []
        var index = 0
        while index < text.count {
            let start = index
            while index < text.count, IndexedText.isWord(text[index]) { index += 1 }
            guard index > start else {
                index += 1
                continue
            }
            result.append(
                Fragment(
                    text: String(decoding: text[start..<index], as: UTF8.self), opensBefore: start == 0,
                    opensAfter: index == text.count))
        }
        return result
    }

    private func expression(_ fragment: Fragment) throws -> String? {
        // The index has no words with signs that join what is before them.
        guard fragment.text.unicodeScalars.allSatisfy(IndexedText.isLetter) else { return nil }
        guard fragment.opensBefore else { return try quoted(fragment.text, isOpen: fragment.opensAfter) }
        guard fragment.text.unicodeScalars.count >= 3 else { return nil }
        // Letters and digits alone: nothing in it means anything to GLOB.
        let words = try String.fetchAll(
            db.cachedStatement(sql: "SELECT word FROM word_part WHERE word GLOB ? LIMIT ?"),
            arguments: ["*" + fragment.text + (fragment.opensAfter ? "*" : ""), Self.maximumWords + 1])
        guard words.count <= Self.maximumWords else { return nil }
        let phrases = try (words + [IndexedText.longWordMark]).compactMap { try quoted($0, isOpen: false) }
        return "(" + phrases.joined(separator: " OR ") + ")"
    }
}

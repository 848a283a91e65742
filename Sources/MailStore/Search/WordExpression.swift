import GRDB
import Models

/// Translates the words of a condition into an FTS5 expression. SQLite's FTS5 documentation, §3.
///
/// SQLite's own tokenizer splits the words first, and the expression is built from its tokens. So quotes, operators and
/// column names that a user types never reach the FTS5 parser, and the expression is always valid. A term without a letter
/// or digit (an emoji, `***`) cannot narrow the search, so it is left out.
struct WordExpression {
    /// Terms beyond this number are ignored, which only gives more candidates.
    static let maximumTerms = 64
    static let maximumTokens = 64
    static let maximumScalars = 4_096
    /// If more words than this contain a part, the part is ignored.
    static let maximumWords = 1_000
    /// If more words than this contain the beginning of a word, FTS5 looks for the words that begin with it.
    static let maximumEndings = 64

    private let db: Database
    private let tokenizer: any FTS5Tokenizer
    /// Whether a message with a word longer than ``IndexedText/longestWord`` matches: the index has no parts of it.
    private let takesLongWords: Bool
    private var terms = 0

    init(_ db: Database, takesLongWords: Bool = true) throws {
        self.db = db
        self.takesLongWords = takesLongWords
        tokenizer = try db.makeTokenizer(.unicode61(diacritics: .remove, categories: "L* N*"))
    }

    /// nil: the index cannot tell. `takesLongWords`: messages with words that the index does not know match too.
    static func of(
        _ condition: SearchCondition, _ db: Database, takesLongWords: Bool = true
    ) throws -> String? {
        var maker = try WordExpression(db, takesLongWords: takesLongWords)
        return try condition.expression { leaf in
            if case .words(let term) = leaf { return try maker.expression(term) }
            return nil
        }
    }

    /// What to search for in the texts of files.
    enum OfFiles {
        /// The condition does not include the texts of files.
        case nothing
        /// The index cannot tell.
        case everything
        case match(String)
    }

    /// An expression for the index of file texts: at least one of the words of the condition. A message that
    /// matches because of its files contains one of these words there; the other messages are found without
    /// this index.
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
        // The index of messages does not contain file texts. An empty phrase matches nothing.
        if term.field == .fileText { return "subject : \"\"" }
        return try phrases(term).map { column(term.field) + $0 }
    }

    /// The words of a term, for any column; nil: the index cannot tell.
    private func phrases(_ term: SearchTerm) throws -> String? {
        let wanted = String(String.UnicodeScalarView(term.text.unicodeScalars.prefix(Self.maximumScalars)))
        let text = IndexedText(wanted)
        let phrases: [String]
        switch term.match {
        case .words: phrases = try opened(text.string).map { [$0] } ?? []
        case .part:
            phrases = try fragments(PlainLetters.of(text.text) ?? text.text).compactMap { try expression($0) }
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

    /// The text as one phrase; nil: it has no words. `isOpen`: the last word also matches longer words that begin with it.
    private func quoted(_ text: String, isOpen: Bool) throws -> String? {
        let tokens = try tokenizer.tokenize(query: text).map(\.token)
        guard !tokens.isEmpty else { return nil }
        let isCut = tokens.count > Self.maximumTokens
        let words = tokens.prefix(Self.maximumTokens).joined(separator: " ")
        let phrase = "\"" + words.split(separator: "\"").joined(separator: "\"\"") + "\""
        return isOpen || isCut ? phrase + " *" : phrase
    }

    // MARK: Beginnings of words

    /// The text as one phrase whose last word may be only the beginning of a word.
    ///
    /// For a beginning, FTS5 reads all messages of all words that begin with it before it returns the first one. With each
    /// of these words in the expression, it reads only the messages that it returns.
    private func opened(_ text: String) throws -> String? {
        let tokens = try tokenizer.tokenize(query: text).map(\.token)
        guard let last = tokens.last, tokens.count <= Self.maximumTokens,
            let endings = try endings(of: last, in: text)
        else { return try quoted(text, isOpen: true) }
        let start = tokens.dropLast()
        let phrases = try endings.compactMap { ending in
            try quoted((start + [ending]).joined(separator: " "), isOpen: false)
        }
        // An empty phrase matches nothing.
        let others = takesLongWords ? IndexedText.longWordMark : ""
        return "(" + (phrases + ["\"\(others)\""]).joined(separator: " OR ") + ")"
    }

    /// The words of the index that begin with the last word of the text; nil: too many, or not known.
    private func endings(of last: String, in text: String) throws -> [String]? {
        let plain = PlainLetters.of(Array(text.utf8)) ?? Array(text.utf8)
        guard let fragment = fragments(plain).last, fragment.opensAfter, isLookedUp(fragment),
            try tokenizer.tokenize(query: fragment.text).map(\.token) == [last],
            let words = try words(like: "*" + fragment.text + "*", atMost: Self.maximumEndings)
        else { return nil }
        let found = try words.flatMap { try tokenizer.tokenize(query: $0).map(\.token) }
        return Set(found.filter { $0.hasPrefix(last) }).sorted()
    }

    // MARK: Parts of words

    /// A run of letters and digits in a part.
    private struct Fragment {
        var text: String
        /// The fragment may be the end or the middle of a word.
        var opensBefore: Bool
        /// The fragment may be the beginning or the middle of a word.
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
        // The index contains no words with combining signs of other categories.
        guard fragment.text.unicodeScalars.allSatisfy(IndexedText.isLetter) else { return nil }
        guard fragment.opensBefore else { return try quoted(fragment.text, isOpen: fragment.opensAfter) }
        guard isLookedUp(fragment),
            let words = try words(
                like: "*" + fragment.text + (fragment.opensAfter ? "*" : ""), atMost: Self.maximumWords)
        else { return nil }
        let phrases = try (words + [IndexedText.longWordMark]).compactMap { try quoted($0, isOpen: false) }
        return "(" + phrases.joined(separator: " OR ") + ")"
    }

    /// Whether the index of parts of words can find the fragment: it has at least three letters or digits, and nothing else.
    private func isLookedUp(_ fragment: Fragment) -> Bool {
        let scalars = fragment.text.unicodeScalars
        return scalars.count >= 3 && scalars.allSatisfy(IndexedText.isLetter)
    }

    /// The words in which the index finds this; nil: too many. Only letters and digits: none of them is special in GLOB.
    private func words(like pattern: String, atMost limit: Int) throws -> [String]? {
        let words = try String.fetchAll(
            db.cachedStatement(sql: "SELECT word FROM word_part WHERE word GLOB ? LIMIT ?"),
            arguments: [pattern, limit + 1])
        return words.count <= limit ? words : nil
    }
}

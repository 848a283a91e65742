/// The possible meanings of a word in an out-of-office reply.
struct ReturnMeaning: OptionSet, Sendable {
    let rawValue: UInt8

    static let until = ReturnMeaning(rawValue: 1)
    static let untilBehind = ReturnMeaning(rawValue: 2)
    static let since = ReturnMeaning(rawValue: 4)
    static let to = ReturnMeaning(rawValue: 8)
    static let back = ReturnMeaning(rawValue: 16)
    static let away = ReturnMeaning(rawValue: 32)
    static let tomorrow = ReturnMeaning(rawValue: 64)

    /// Meanings that show that the text is about an absence.
    static let absence: ReturnMeaning = [.away, .back]
}

/// The words of ``ReturnWords``, for lookup.
struct ReturnLexicon: Sendable {
    struct Sense: Sendable {
        let language: Int
        let meaning: ReturnMeaning
    }

    static let standard = ReturnLexicon(ReturnWords.languages)

    let orders: [ReturnWords.NumberOrder?]
    private var whole: [String: [Sense]] = [:]
    /// The words by their first character.
    private var begun: [Character: [(text: String, sense: Sense)]] = [:]
    private var inside: [(text: String, sense: Sense)] = []
    private var days: [String: Int] = [:]
    private var begunDays: [(text: String, day: Int)] = []
    private var insideDays: [(text: String, day: Int)] = []

    private init(_ languages: [ReturnWords]) {
        orders = languages.map(\.order)
        for (index, words) in languages.enumerated() {
            let lists: [(String, ReturnMeaning)] = [
                (words.until, .until), (words.untilBehind, .untilBehind), (words.since, .since),
                (words.to, .to),
                (words.back, .back), (words.away, .away), (words.tomorrow, .tomorrow),
            ]
            for (list, meaning) in lists {
                add(list, Sense(language: index, meaning: meaning), isInsideWords: words.isInsideWords)
            }
            addDays(words)
        }
    }

    private mutating func add(_ list: String, _ sense: Sense, isInsideWords: Bool) {
        for word in list.split(separator: " ").map(String.init) {
            if isInsideWords {
                inside.append((word, sense))
            } else if word.hasSuffix("*"), let first = word.first {
                begun[first, default: []].append((String(word.dropLast()), sense))
            } else {
                whole[word, default: []].append(sense)
            }
        }
    }

    private mutating func addDays(_ words: ReturnWords) {
        for (index, spellings) in words.weekdays.split(separator: " ").enumerated() {
            for spelling in spellings.split(separator: "/").map(String.init) {
                if words.isInsideWords {
                    insideDays.append((spelling, index + 1))
                } else if spelling.hasSuffix("*") {
                    begunDays.append((String(spelling.dropLast()), index + 1))
                } else {
                    days[spelling] = index + 1
                }
            }
        }
    }

    /// In every language that has the word.
    func senses(of word: String) -> [Sense] {
        var senses = whole[word] ?? []
        if let first = word.first {
            for entry in begun[first] ?? [] where word.hasPrefix(entry.text) { senses.append(entry.sense) }
        }
        if Self.isJoined(word) {
            for entry in inside where word.contains(entry.text) { senses.append(entry.sense) }
        }
        return senses
    }

    /// 1 is Monday.
    func weekday(_ word: String) -> Int? {
        if let day = days[word] { return day }
        if let entry = begunDays.first(where: { word.hasPrefix($0.text) }) { return entry.day }
        return Self.isJoined(word) ? insideDays.first { word.contains($0.text) }?.day : nil
    }

    /// Whether the word is of a script that writes words together, or puts endings to them.
    private static func isJoined(_ word: String) -> Bool {
        word.unicodeScalars.first.map { $0.value >= 0x2E80 } ?? false
    }
}

/// The words of one text, each with what it means in the languages that the text may be written in.
struct ReturnMeanings {
    /// One for each token.
    let tokens: [ReturnMeaning]
    /// Which number of `03/04` is the day; nil: the text does not tell.
    let order: ReturnWords.NumberOrder?
    /// Whether the text is about an absence at all.
    let isOfAbsence: Bool

    init(_ words: [ReturnToken], _ lexicon: ReturnLexicon = .standard) {
        let senses = words.map { $0.word.map { lexicon.senses(of: $0) } ?? [] }
        var hits = Array(repeating: 0, count: lexicon.orders.count)
        var spoken: Set<Int> = []
        for sense in senses.joined() {
            hits[sense.language] += 1
            if !sense.meaning.isDisjoint(with: .absence) { spoken.insert(sense.language) }
        }
        isOfAbsence = !spoken.isEmpty
        // `do` is a word of Polish and of Portuguese: only the languages of the text count.
        tokens = senses.map { senses in
            senses.reduce(into: []) { if spoken.contains($1.language) { $0.formUnion($1.meaning) } }
        }
        let most = spoken.map { hits[$0] }.max() ?? 0
        let orders = Set(spoken.filter { hits[$0] == most }.map { lexicon.orders[$0] })
        order = orders.count == 1 ? orders.first ?? nil : nil
    }
}

extension ReturnMeanings {
    /// Whether the start of the text says in some language that a person is away.
    static func speaksOfAbsence(_ text: String) -> Bool {
        let words = ReturnToken.all(of: String(text.prefix(ReturnDate.textLimit)).lowercased())
        return ReturnMeanings(words).tokens.contains { $0.contains(.away) }
    }
}

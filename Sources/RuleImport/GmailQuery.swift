/// Gmail's search language, as its filters hold it: `from:(ana OR bob) subject:invoice -{draft test}`.
///
///     query = or { or }                  all of them
///     or    = not { "OR" not }           binds tighter than the blank
///     not   = ["-"] ( "(" query ")" / "{" query "}" / [name ":"] value )
///
/// In braces one of the terms is enough.
struct GmailQuery {
    static let maximumDepth = 16
    static let maximumTerms = 500

    private let letters: [Character]
    private var index = 0
    private var depth = 0
    private var terms = 0
    /// Untranslated parts: the text and the reason.
    private(set) var unknown: [(piece: String, reason: String)] = []
    /// Parts with another meaning: the text and the difference.
    private(set) var changed: [(piece: String, reason: String)] = []

    /// Whether the terms are excluded. They must then match all that Gmail's terms match; otherwise, nothing else.
    private var isNegated: Bool

    private init(_ text: String, isNegated: Bool) {
        letters = Array(text.prefix(20_001))
        self.isNegated = isNegated
    }

    /// Reads the query in a property. `field`: the operator for its bare words; nil: any text. `isNegated`: the filter
    /// excludes what the query matches.
    static func read(
        _ text: String, field: String?, matchesAny: Bool = false, isNegated: Bool = false
    ) -> (DraftCondition, GmailQuery) {
        var query = GmailQuery(text, isNegated: isNegated)
        guard query.letters.count <= 20_000 else {
            query.unknown.append((text, "longer than 20,000 characters"))
            return (.unknown, query)
        }
        let condition = query.parse(field: field, until: nil, matchesAny: matchesAny)
        return (condition, query)
    }

    // MARK: Grammar

    private mutating func parse(field: String?, until end: Character?, matchesAny: Bool) -> DraftCondition {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else {
            unknown.append(
                (String(letters[index...].prefix(20)), "nested more than \(Self.maximumDepth) deep"))
            index = letters.count
            return .unknown
        }
        let start = index
        var groups: [[DraftCondition]] = []
        var joins = false
        while true {
            skipBlanks()
            guard index < letters.count, letters[index] != end else { break }
            if takeWord("OR") || takeLetter("|") {
                joins = !groups.isEmpty
                continue
            }
            if takeWord("AND") { continue }
            if let near = takeNear() {
                unknown.append((near, "opus cannot search for words that are near one another"))
                groups.append([.unknown])
                continue
            }
            if end == nil, letters[index] == ")" || letters[index] == "}" {
                index += 1
                continue
            }
            guard let child = term(field) else { continue }
            if joins, !groups.isEmpty {
                groups[groups.count - 1].append(child)
            } else {
                groups.append([child])
            }
            joins = false
        }
        if groups.isEmpty { groups.append([noWord(in: String(letters[start..<index]))]) }
        if index < letters.count { index += 1 }
        if !matchesAny, groups.count > 1, groups.contains(where: { $0.count > 1 }) {
            changed.append(
                (String(letters), "read as: OR joins only the two terms next to it, and then all must match"))
        }
        let alternatives = groups.map { DraftCondition.any($0) }
        return matchesAny ? .any(alternatives) : .all(alternatives)
    }

    /// nil: Gmail ignores the sign, such as a dash between two words.
    private mutating func term(_ field: String?) -> DraftCondition? {
        terms += 1
        guard terms <= Self.maximumTerms else {
            unknown.append((String(letters[index...].prefix(20)), "more than \(Self.maximumTerms) terms"))
            index = letters.count
            return .unknown
        }
        if takeLetter("-") {
            guard !isAtEndOfValue else { return nil }
            depth += 1
            defer { depth -= 1 }
            guard depth <= Self.maximumDepth else { return .unknown }
            isNegated.toggle()
            defer { isNegated.toggle() }
            return term(field).map { .not($0) }
        }
        if takeLetter("+"), isAtEndOfValue { return nil }
        if takeLetter("(") { return parse(field: field, until: ")", matchesAny: false) }
        if takeLetter("{") { return parse(field: field, until: "}", matchesAny: true) }
        let start = index
        if let name = operatorName() {
            if takeLetter("(") { return parse(field: name, until: ")", matchesAny: false) }
            if takeLetter("{") { return parse(field: name, until: "}", matchesAny: true) }
            if isAtEndOfValue, !GmailTerm.operators.contains(name) {
                // `Alert:` is the word.
                return condition(field, String(letters[start..<index - 1]), String(letters[start..<index]))
            }
            return operand(of: name, from: start)
        }
        return operand(of: field, from: start)
    }

    private mutating func operand(of field: String?, from start: Int) -> DraftCondition {
        guard !isAtEndOfValue, let value = value() else { return noWord(in: String(letters[start..<index])) }
        return condition(field, value, String(letters[start..<index]))
    }

    private mutating func noWord(in piece: String) -> DraftCondition {
        unknown.append((piece, "this has no word"))
        return .unknown
    }

    /// Whether no value begins here.
    private var isAtEndOfValue: Bool {
        index == letters.count || letters[index].isWhitespace || ")}".contains(letters[index])
    }

    /// `from:`, and the index after it; nil when there is none.
    private mutating func operatorName() -> String? {
        let word = letters[index...].prefix { $0.isLetter || $0 == "_" || $0.isNumber }
        guard !word.isEmpty, word.endIndex < letters.count, letters[word.endIndex] == ":" else { return nil }
        index = word.endIndex + 1
        return String(word).lowercased()
    }

    private mutating func value() -> String? {
        if takeLetter("\"") {
            let start = index
            while index < letters.count, letters[index] != "\"" { index += 1 }
            defer { if index < letters.count { index += 1 } }
            return start < index ? String(letters[start..<index]) : nil
        }
        let start = index
        while index < letters.count, !letters[index].isWhitespace, !"(){}|\"".contains(letters[index]) {
            index += 1
        }
        if start == index, index < letters.count { index += 1 }
        return start < index ? String(letters[start..<index]) : nil
    }

    private mutating func skipBlanks() {
        while index < letters.count, letters[index].isWhitespace { index += 1 }
    }

    private mutating func takeLetter(_ letter: Character) -> Bool {
        guard index < letters.count, letters[index] == letter else { return false }
        index += 1
        return true
    }

    private mutating func takeWord(_ word: String) -> Bool {
        let end = index + word.count
        guard end <= letters.count, String(letters[index..<end]) == word,
            end == letters.count || letters[end].isWhitespace || "({\"".contains(letters[end])
        else { return false }
        index = end
        return true
    }

    /// `AROUND 10`: the words before and after it are within ten words.
    private mutating func takeNear() -> String? {
        let start = index
        guard takeWord("AROUND") else { return nil }
        skipBlanks()
        let digits = letters[index...].prefix { $0.isASCII && $0.isNumber }
        let end = index + digits.count
        guard !digits.isEmpty, end == letters.count || letters[end].isWhitespace else {
            index = start
            return nil
        }
        index = end
        return String(letters[start..<end])
    }

    // MARK: Terms

    private mutating func condition(_ field: String?, _ value: String, _ piece: String) -> DraftCondition {
        if field == nil, value.allSatisfy({ $0 == "*" }) { return .always }
        guard value.contains(where: { $0.isLetter || $0.isNumber }) else { return noWord(in: piece) }
        guard let condition = GmailTerm.condition(field, value, isNegated: isNegated) else {
            unknown.append((piece, "opus has no condition for Gmail's '\(field ?? value)'"))
            return .unknown
        }
        if condition.hasUnknown { unknown.append((piece, "a condition cannot have this value")) }
        return condition
    }
}

import YAMLSource

/// Parses the query language: `from:ana subject:"q3 plan" (is:unread or has:pdf) -label:news`.
///
///     query = and { "or" and }        and = not { ["and"] not }
///     not   = ["-" / "not"] ( "(" query ")" / term )
///     term  = name [":" / comparison] value / value
///
/// A term with an error is reported and left out, so that all errors are reported at once. An unknown prefix
/// is always an error, never a text search.
struct QueryParser {
    static let maximumLength = 10_000
    static let maximumDepth = 32

    let letters: [Character]
    var index = 0
    private var depth = 0
    private var reader: ValueReader
    private(set) var problems: [QueryProblem] = []

    init(_ text: String, names: KnownNames) {
        letters = Array(text.prefix(Self.maximumLength + 1))
        reader = ValueReader(names: names)
    }

    /// The condition; nil if there is an error among the problems.
    mutating func parse() -> Condition? {
        guard letters.count <= Self.maximumLength else {
            report("R030", 0, 1, "the query is longer than \(Self.maximumLength) characters")
            return nil
        }
        if let place = letters.firstIndex(where: Self.joinsNeighbours) {
            report(
                "R030", place, 1,
                "this character combines with the one beside it, so the query cannot be read",
                "write it with the letter that it belongs to; in a pattern, write \\x{\(Self.hex(letters[place]))}"
            )
            return nil
        }
        skipBlanks()
        guard index < letters.count else { return .always }
        let condition = parseOr()
        if index < letters.count, !hasErrors {
            report("R030", index, 1, "unmatched '\(letters[index])'", nil)
        }
        problems += reader.warnings
        return hasErrors ? nil : condition
    }

    private var hasErrors: Bool { problems.contains { !$0.isWarning } }

    private mutating func report(
        _ code: String, _ offset: Int, _ length: Int, _ message: String, _ suggestion: String? = nil
    ) {
        problems.append(
            QueryProblem(
                code: code, offset: offset, length: max(1, length), message: message, suggestion: suggestion))
    }

    /// Combining marks without a letter or on a character of the query language, and characters that join
    /// with the next one. The neighbouring character would be read as text, and the query would be written
    /// differently from what was parsed.
    private static func joinsNeighbours(_ letter: Character) -> Bool {
        guard !letter.isASCII else { return false }
        let scalars = letter.unicodeScalars
        let holdsSign = scalars.contains { scalar in
            scalar.isASCII && !scalar.properties.isAlphabetic && scalar.properties.numericType == nil
        }
        let text = String(letter)
        return holdsSign || (":" + text).count == 1 || (text + ")").count == 1
    }

    /// The joining scalar, for a pattern.
    private static func hex(_ letter: Character) -> String {
        let scalar = letter.unicodeScalars.first { !$0.isASCII }
        return String(scalar?.value ?? 0, radix: 16, uppercase: true)
    }

    // MARK: Logic

    private mutating func parseOr() -> Condition? {
        var children: [Condition] = []
        repeat {
            if let child = parseAnd() { children.append(child) }
        } while takeWord("or")
        return children.isEmpty ? nil : .any(children)
    }

    private mutating func parseAnd() -> Condition? {
        let start = index
        var children: [Condition] = []
        while true {
            skipBlanks()
            guard index < letters.count, letters[index] != ")", !peekWord("or") else { break }
            if peekWord("and"), index > start { _ = takeWord("and") }
            if let child = parseNot() { children.append(child) }
            if problems.count > 20 { index = letters.count }
        }
        if index == start || (children.isEmpty && !hasErrors) {
            report("R030", min(index, max(0, letters.count - 1)), 1, "a condition is missing here")
        }
        return children.isEmpty ? nil : .all(children)
    }

    private mutating func parseNot() -> Condition? {
        skipBlanks()
        guard index < letters.count, depth < Self.maximumDepth else {
            report(
                "R030", min(index, max(0, letters.count - 1)), 1,
                index < letters.count ? "nested too deeply" : "a condition is missing here")
            index = letters.count
            return nil
        }
        depth += 1
        defer { depth -= 1 }
        if letters[index] == "-" {
            index += 1
            return parseNot().map { .not($0) }
        }
        if takeWord("not") { return parseNot().map { .not($0) } }
        guard letters[index] == "(" else { return term() }
        let opening = index
        index += 1
        let inner = parseOr()
        skipBlanks()
        if index < letters.count, letters[index] == ")" {
            index += 1
        } else if !hasErrors {
            report("R030", opening, 1, "this '(' is not closed")
        }
        return inner
    }

    // MARK: Terms

    private mutating func term() -> Condition? {
        let start = index
        do {
            let condition = try readTerm()
            try requireEnd()
            return condition
        } catch {
            problems.append(error)
            // A value that was not read must not become the next term.
            if index == start { index += 1 }
            while index < letters.count, !isEnd(letters[index]) { index += 1 }
            return nil
        }
    }

    /// Text directly after a term would be an unintended search: `is:unread,flagged`, `/x/s`.
    private func requireEnd() throws(QueryProblem) {
        guard index > 0, index < letters.count, !isEnd(letters[index]), letters[index - 1] != ")" else {
            return
        }
        let rest = String(letters[index...].prefix { !isEnd($0) })
        let isPattern =
            letters[index - 1] == "/" || (index > 1 && letters[(index - 2)..<index] == ["/", "i"])
        throw QueryProblem(
            code: "R030", offset: index, length: rest.count,
            message: "'\(rest)' directly follows a condition",
            suggestion: isPattern
                ? "a pattern takes no flag but i; others go into it: /(?s)…/"
                : rest.first == "," ? "is:unread or is:flagged" : "put a space between them")
    }

    private mutating func readTerm() throws(QueryProblem) -> Condition {
        let start = index
        let name = peekName()
        let after = start + name.count
        guard !name.isEmpty, after < letters.count, ":<>=".contains(letters[after]) else {
            return try bareText()
        }
        index = after
        if name.lowercased() == "header" { return try header() }
        if name == SearchName.prefix, letters[index] == ":" { return try saved() }
        if ConditionTable.families.contains(name), letters[index] == ":",
            let condition = try familyTerm(name, start: start)
        {
            return condition
        }
        guard let entry = ConditionTable.entry(name) else { throw unknown(name, offset: start) }
        return .test(try valueTest(entry.name, entry.meaning))
    }

    /// Words without a prefix match text anywhere in the message.
    private mutating func bareText() throws(QueryProblem) -> Condition {
        let start = index
        let raw = try value(takesForms: true)
        if raw.form == .bare, raw.text == "*" { return .always }
        if raw.form == .bare, let sign = raw.text.firstRange(of: "!="),
            ConditionTable.entry(String(raw.text[..<sign.lowerBound])) != nil
        {
            let name = raw.text[..<sign.lowerBound]
            throw QueryProblem(
                code: "R030", offset: start + name.count, length: 2, message: "queries have no operator '!='",
                suggestion: "write -\(name):\(raw.text[sign.upperBound...])")
        }
        if raw.form == .bare, let colon = raw.text.firstIndex(of: ":") {
            let prefix = String(raw.text[..<colon])
            throw QueryProblem(
                code: "R012", offset: start, length: max(1, prefix.count),
                message: "unknown condition '\(prefix)'",
                suggestion: "for text with a colon write \"\(raw.text)\"")
        }
        let test = try reader.test("text", .text(.anyText), raw)
        return .test(ConditionTest(kind: test.kind, spelling: Spelling("", raw)))
    }

    /// `is:unread`, `has:pdf`, `attachment:name:*.pdf`; nil if the prefix is also a condition
    /// (`sender:ana@…`).
    private mutating func familyTerm(_ family: String, start: Int) throws(QueryProblem) -> Condition? {
        let colon = index
        index += 1
        let word = peekName()
        let name = "\(family):\(word)"
        if family == "is", reader.names.defines.contains(word) {
            index += word.count
            return .test(ConditionTest(kind: .defined(word), spelling: Spelling(name)))
        }
        guard let entry = ConditionTable.entry(name), !word.isEmpty else {
            index = colon
            if ConditionTable.entry(family) != nil { return nil }
            index += 1 + word.count
            throw Self.unknownWord(word, family: family, names: reader.names, offset: colon + 1)
        }
        index += word.count
        if case .state(let state) = entry.meaning {
            return .test(ConditionTest(kind: .state(state), spelling: Spelling(name)))
        }
        if case .thread = entry.meaning { return try thread(name, start: start) }
        return .test(try valueTest(name, entry.meaning))
    }

    /// `query:bills`.
    private mutating func saved() throws(QueryProblem) -> Condition {
        index += 1
        let (word, offset) = (peekName(), index)
        guard reader.names.searches.contains(word) else {
            let similar = nearestName(word, among: reader.names.searches)
            throw QueryProblem(
                code: "R047", offset: offset, length: max(1, word.count),
                message: "no saved search is called '\(word)'",
                suggestion: similar.map { "did you mean '\(SearchName.prefix):\($0)'?" }
                    ?? "opus search --save \(word.isEmpty ? "NAME" : word) QUERY saves one")
        }
        index += word.count
        let name = SearchName.definition(word)
        return .test(ConditionTest(kind: .defined(name), spelling: Spelling(name)))
    }

    /// `thread:has(from:ana is:unread)`.
    private mutating func thread(_ name: String, start: Int) throws(QueryProblem) -> Condition {
        guard index < letters.count, letters[index] == "(" else {
            throw QueryProblem(
                code: "R020", offset: start, length: name.count,
                message: "'\(name)' needs a query in brackets",
                suggestion: "\(name)(from:ana)")
        }
        let known = problems.count
        let inner = parseNot()
        guard let inner, problems.count == known else {
            // The inner error was reported; this replaces the condition.
            return .always
        }
        if inner.tests.contains(where: { $0.inner != nil }) {
            throw QueryProblem(
                code: "R020", offset: start, length: name.count, message: "'\(name)' cannot be inside itself")
        }
        return .test(ConditionTest(kind: .thread(inner), spelling: Spelling(name, nested: inner.query)))
    }

    /// `header:X-Spam:yes`; `header:X-Spam` means that the field is present.
    private mutating func header() throws(QueryProblem) -> Condition {
        index += 1
        let name = String(letters[index...].prefix { !isEnd($0) && !":<>=".contains($0) })
        guard Self.isFieldName(name) else {
            throw QueryProblem(
                code: "R020", offset: index, length: max(1, name.count),
                message: "a header field's name is missing",
                suggestion: "header:X-Spam-Flag:yes")
        }
        index += name.count
        guard index < letters.count, ":<>=".contains(letters[index]) else {
            let raw = RawValue(form: .bare, text: "*", offset: index)
            return .test(
                ConditionTest(
                    kind: .text(.header(name.lowercased()), .present),
                    spelling: Spelling("header:\(name)", raw)))
        }
        return .test(try valueTest(name, .header))
    }

    static func isFieldName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 100
            && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !(0x3C...0x3E).contains($0) && $0 != 0x3A }
    }

    private mutating func valueTest(
        _ name: String, _ meaning: ConditionMeaning
    ) throws(QueryProblem) -> ConditionTest {
        let start = index
        guard index < letters.count, ":<>=".contains(letters[index]) else {
            throw QueryProblem(
                code: "R020", offset: max(0, index - 1), length: 1, message: "'\(name)' needs a value",
                suggestion: "\(name):…")
        }
        if letters[index] == ":" { index += 1 }
        let sign = takeComparison(for: meaning)
        let hasForms = takesForms(meaning)
        let isExact = letters[start] == "=" && hasForms
        var raw = try value(takesForms: hasForms)
        if case .amount(let amount) = meaning, amount.unit == .money { takeCurrency(into: &raw) }
        guard sign != nil || letters[start] == ":" || isExact else {
            throw QueryProblem(
                code: "R030", offset: start, length: 1, message: "'\(name)' cannot be compared",
                suggestion: meaning.isHeader
                    ? "use a pattern: header:\(name):/^[5-9]/" : "write \(name):\(raw.text)")
        }
        if case .amount(let amount) = meaning, amount.unit == .bytes { try requireNoUnit(after: raw) }
        return try reader.test(name, meaning, raw, comparison: sign)
    }

    private mutating func takeComparison(for meaning: ConditionMeaning) -> Comparison? {
        switch meaning {
        case .amount, .age, .time, .clock, .waited, .authentication:
            for sign in [Comparison.lessOrEqual, .greaterOrEqual, .less, .greater, .equal] {
                if letters[index...].starts(with: Array(sign.rawValue)) {
                    index += sign.rawValue.count
                    return sign
                }
            }
            return nil
        case .address, .text, .header, .weekday, .state, .keyword, .mailbox, .rule, .thread, .taskList,
            .identity:
            return nil
        }
    }

    private func takesForms(_ meaning: ConditionMeaning) -> Bool {
        switch meaning {
        case .address, .text, .header: true
        case .amount, .age, .time, .weekday, .state, .keyword, .mailbox, .rule, .clock, .thread,
            .taskList,
            .waited, .authentication, .identity:
            false
        }
    }
}

import MIMEParser
import Models

/// Makes a test from the name and value of a condition. All kinds of values are parsed here, for queries and
/// for mappings.
struct ValueReader {
    let names: KnownNames
    /// Findings that do not invalidate the test.
    var warnings: [QueryProblem] = []

    init(names: KnownNames) { self.names = names }

    /// The test of a condition with a value. `comparison`: the operator between the two, if any.
    mutating func test(
        _ name: String, _ meaning: ConditionMeaning, _ raw: RawValue, comparison: Comparison? = nil
    ) throws(QueryProblem) -> ConditionTest {
        guard !raw.text.trimmingBlanks().isEmpty else {
            throw raw.problem("R020", "'\(name)' needs a value", "one of: \(meaning.valueHelp)")
        }
        let kind: ConditionTest.Kind
        switch meaning {
        case .address(let field): kind = .address(field, try address(raw))
        case .text(.anyText): kind = .text(.anyText, try anyText(raw))
        case .text(let field): kind = .text(field, try text(raw))
        case .header: kind = .text(.header(name.lowercased()), try text(raw))
        case .amount(let amount):
            let (sign, value) = Self.comparison(raw, comparison)
            switch amount.unit {
            case .bytes: kind = .amount(amount, sign ?? .equal, try Self.bytes(value))
            case .count: kind = .amount(amount, sign ?? .equal, try Self.count(value))
            case .month: kind = .amount(amount, sign ?? .equal, try Self.month(value))
            case .money:
                let (cents, currency) = try Self.money(value)
                kind = .amount(.money(in: currency), sign ?? .equal, cents)
            }
        case .age(let sense): kind = try Self.age(sense, raw, comparison)
        case .time(let field): kind = try Self.time(field, raw, comparison)
        case .weekday: kind = .weekday(try Self.weekdays(raw))
        case .keyword: kind = .keyword(try Self.name(raw))
        case .mailbox: kind = .mailbox(try Self.name(raw))
        case .rule: kind = .matched(try rule(raw))
        case .clock: kind = .clock(try Self.clock(raw, comparison))
        case .taskList: kind = .taskList(try Self.name(raw))
        case .waited: kind = try Self.waitedTime(raw, comparison)
        case .authentication(let method): kind = .authentication(method, try Self.result(raw))
        case .identity(let field):
            // Ids by opus contain no @. With an @, the value is a Message-ID, as in `id:` of notmuch.
            let meant = raw.text.contains("@") ? .messageID : field
            kind = .identity(meant, try Self.identity(meant, raw))
        case .thread, .state:
            throw raw.problem("R020", "'\(name)' takes no value")
        }
        return ConditionTest(kind: kind, spelling: Self.spelling(name, meaning, raw, comparison))
    }

    private static func spelling(
        _ name: String, _ meaning: ConditionMeaning, _ raw: RawValue, _ comparison: Comparison?
    ) -> Spelling {
        switch meaning {
        case .header: return Spelling("header:" + name, raw)
        case .text, .address: return Spelling(name, raw)
        case .keyword, .mailbox, .taskList, .rule, .weekday, .identity:
            let value = raw.form == .bare ? raw : RawValue(form: .quoted, text: raw.text, offset: 0)
            return Spelling(name, value, takesForms: false)
        case .amount, .age, .time, .clock, .waited, .authentication, .thread, .state:
            let (sign, value) = Self.comparison(raw, comparison)
            return Spelling(
                name, RawValue(form: .bare, text: value.text, offset: 0), sign: sign, takesForms: false)
        }
    }

    // MARK: Text and addresses

    /// `invo*` without a prefix finds words that begin with `invo`, as in other programs; so does `invo`
    /// alone.
    private mutating func anyText(_ raw: RawValue) throws(QueryProblem) -> TextMatcher {
        let word = raw.text.dropLast()
        let isBeginning =
            raw.form == .bare && raw.text.last == "*" && !word.isEmpty
            && word.allSatisfy { $0.isLetter || $0.isNumber }
        return isBeginning ? .phrase(FoldedText(String(word))) : try text(raw)
    }

    mutating func text(_ raw: RawValue) throws(QueryProblem) -> TextMatcher {
        switch raw.form {
        case .quoted: return .phrase(FoldedText(raw.text))
        case .exact: return .exact(FoldedText(raw.text))
        case .contains: return .contains(FoldedText(raw.text))
        case .regex(let insensitive): return .regex(try regex(raw, insensitive: insensitive))
        case .bare:
            if let problem = raw.strayFlags { throw problem }
            if raw.text == "*" { return .present }
            return raw.text.contains("*") ? .glob(try Self.glob(raw)) : .phrase(FoldedText(raw.text))
        }
    }

    private mutating func address(_ raw: RawValue) throws(QueryProblem) -> AddressMatcher {
        switch raw.form {
        case .quoted:
            return Self.spelled(raw.text) { text in
                Self.wholeAddress(text).map { .exact($0) } ?? .phrase(FoldedText(text))
            }
        case .exact:
            return Self.spelled(raw.text) { .exact(Self.wholeAddress($0) ?? FoldedText($0)) }
        case .contains: return Self.spelled(raw.text) { .contains(FoldedText($0)) }
        case .regex(let insensitive): return .regex(try regex(raw, insensitive: insensitive))
        case .bare: return try bareAddress(raw)
        }
    }

    /// A matcher for all spellings of the domain in the text; the matcher of the text itself for most texts.
    private static func spelled<Failure: Error>(
        _ text: String, _ matcher: (String) throws(Failure) -> AddressMatcher
    ) throws(Failure) -> AddressMatcher {
        var spellings = [try matcher(text)]
        for other in AddressText.otherSpellings(of: text) { spellings.append(try matcher(other)) }
        return spellings.count == 1 ? spellings[0] : .anyOf(spellings)
    }

    /// Quotes around a whole address have no effect: they mean that address, and not a longer one.
    private static func wholeAddress(_ text: String) -> FoldedText? {
        guard !text.contains(where: \.isWhitespace), let address = EmailAddress(text),
            address.domain.contains(".") || address.domain.hasPrefix("[")
        else { return nil }
        return FoldedText(address.comparable)
    }

    private func bareAddress(_ raw: RawValue) throws(QueryProblem) -> AddressMatcher {
        let typed = raw.text.trimmingBlanks()
        if let problem = raw.strayFlags { throw problem }
        // As copied from a mail.
        let text = typed.hasPrefix("<") && typed.hasSuffix(">") ? String(typed.dropFirst().dropLast()) : typed
        if text.contains("@"), text.contains(where: { ",;|:<>".contains($0) }) {
            throw raw.problem(
                "R023", "'\(text)' is not an address, and not a list of them",
                "from:ana@x.org or from:bob@x.org; in a mapping: [ana@x.org, bob@x.org]")
        }
        if text == "*" { return .present }
        if text.contains("*") {
            return try Self.spelled(raw.text) { text throws(QueryProblem) in
                .glob(try Self.glob(text, raw))
            }
        }
        if text == "me" { return .me }
        if text == "known" { return .known }
        guard let at = text.firstIndex(of: "@") else {
            return Self.spelled(text) { .phrase(FoldedText($0)) }
        }
        guard at == text.startIndex else {
            guard let address = EmailAddress(text), !text.contains(where: \.isWhitespace) else {
                throw raw.problem("R023", "'\(text)' is not an address", "ana@example.org")
            }
            let isWhole = address.domain.contains(".") || address.domain.hasPrefix("[")
            let spellings = try ([address] + address.otherSpellings).map { address throws(QueryProblem) in
                isWhole ? .exact(FoldedText(address.comparable)) : try Self.atHost(address, raw)
            }
            return spellings.count == 1 ? spellings[0] : .anyOf(spellings)
        }
        let name = String(text.dropFirst())
        if names.lists.contains(name) { return .list(name) }
        if name.contains("."), !name.contains("@"), !name.contains(where: \.isWhitespace) {
            return Self.spelled(name) { .domain(FoldedText($0)) }
        }
        let similar = nearestName(name, among: names.lists)
        throw raw.problem(
            "R040", "no list is called '@\(name)'",
            similar.map { "did you mean '@\($0)'?" } ?? "lists are under 'lists:'; a domain has a dot")
    }

    /// `ana@acme` matches that address, and `ana` at all domains that begin with `acme` (`ana@acme.example`).
    private static func atHost(
        _ address: EmailAddress, _ raw: RawValue
    ) throws(QueryProblem) -> AddressMatcher {
        let literal = address.comparable.map { $0.isLetter || $0.isNumber ? String($0) : "\\\($0)" }.joined()
        do {
            return .regex(try Pattern("(?i)^\(literal)(?:\\.|$)"))
        } catch {
            throw raw.problem("R023", "'\(raw.text)' is not an address", "ana@example.org")
        }
    }

    mutating func regex(_ raw: RawValue, insensitive: Bool) throws(QueryProblem) -> Pattern {
        do {
            let pattern = try Pattern(insensitive ? "(?i)" + raw.text : raw.text)
            if let offset = Pattern.asciiOnlyBoundary(in: raw.text) {
                warnings.append(
                    QueryProblem(
                        isWarning: true, code: "R084", offset: raw.offset + offset, length: 2,
                        message: "'\\b' finds no boundary at letters that are not ASCII",
                        suggestion: "write (?:^|[^\\pL]) instead"))
            }
            return pattern
        } catch {
            throw Self.refused(error, raw)
        }
    }

    private static func refused(_ refusal: Pattern.Refusal, _ raw: RawValue) -> QueryProblem {
        let fragment = refusal.fragment
        var problem = raw.problem("R021", "the pattern cannot be read: \(refusal.reason)")
        guard !fragment.isEmpty, let range = raw.text.firstRange(of: fragment) else { return problem }
        problem.offset = raw.offset + raw.text.distance(from: raw.text.startIndex, to: range.lowerBound)
        problem.length = max(1, fragment.count)
        let rest = raw.text[range.lowerBound...]
        if ["(?=", "(?!", "(?<=", "(?<!"].contains(where: { rest.hasPrefix($0) }) {
            problem.suggestion = "look-around is not supported; capture what you need in a group"
        } else if rest.hasPrefix("(?<") {
            problem.suggestion = "a named group is (?P<name>…)"
        }
        return problem
    }

    private static func glob(_ raw: RawValue, keepsAccents: Bool = false) throws(QueryProblem) -> Pattern {
        try glob(raw.text, raw, keepsAccents: keepsAccents)
    }

    private static func glob(
        _ text: String, _ raw: RawValue, keepsAccents: Bool = false
    ) throws(QueryProblem) -> Pattern {
        do {
            return try Pattern.glob(text, keepsAccents: keepsAccents)
        } catch {
            throw raw.problem("R021", "'\(raw.text)' is too long")
        }
    }

    private static func name(_ raw: RawValue) throws(QueryProblem) -> NameMatcher {
        raw.form == .bare && raw.text.contains("*")
            ? .glob(try glob(raw, keepsAccents: true)) : .name(raw.text.folded)
    }

    private static func identity(
        _ field: IdentityField, _ raw: RawValue
    ) throws(QueryProblem) -> NameMatcher {
        raw.form == .bare && raw.text.contains("*")
            ? .glob(try glob(raw, keepsAccents: true)) : .name(field.comparable(raw.text))
    }

    private func rule(_ raw: RawValue) throws(QueryProblem) -> String {
        let name = raw.text.trimmingBlanks()
        if names.rules.contains(name) { return name }
        guard names.hasRules else {
            throw raw.problem("R042", "'matched:' works in rule files only")
        }
        let similar = nearestName(name, among: names.rules)
        throw raw.problem("R042", "no rule has the id '\(name)'", similar.map { "did you mean '\($0)'?" })
    }
}

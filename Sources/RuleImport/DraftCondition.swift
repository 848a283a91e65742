/// A condition of a filter, to be written as `when:`.
indirect enum DraftCondition: Hashable {
    case always
    case never
    case all([DraftCondition])
    case any([DraftCondition])
    case not(DraftCondition)
    case test(DraftTest)
    /// opus has no such condition, and the report says so.
    case unknown

    /// The condition with each unknown part set so that fewer messages match, never more.
    var narrowed: DraftCondition { resolved(unknown: false) }

    /// The condition with each unknown part set so that more messages match, never fewer.
    var widened: DraftCondition { resolved(unknown: true) }

    var hasUnknown: Bool {
        switch self {
        case .unknown: true
        case .always, .never, .test: false
        case .not(let inner): inner.hasUnknown
        case .all(let children), .any(let children): children.contains(where: \.hasUnknown)
        }
    }

    /// Whether its result can change after the message arrived: by time, or because the user reads, flags or labels it. Other
    /// programs test it once, on arrival, and opus at each run.
    var changesAfterArrival: Bool {
        switch self {
        case .always, .never, .unknown: false
        case .test(let test): ["age", "is", "label"].contains(test.key)
        case .not(let inner): inner.changesAfterArrival
        case .all(let children), .any(let children): children.contains(where: \.changesAfterArrival)
        }
    }

    /// Why a rule with such a condition is not enabled.
    static let testedOnce =
        "its age, state or labels are tested once, when mail arrives, and opus would test them at each run; so the rule is not enabled"

    private func resolved(unknown: Bool) -> DraftCondition {
        switch self {
        case .unknown: unknown ? .always : .never
        case .always, .never, .test: self
        case .not(let inner): Self.negated(inner.resolved(unknown: !unknown))
        case .all(let children): Self.every(children.map { $0.resolved(unknown: unknown) })
        case .any(let children): Self.some(children.map { $0.resolved(unknown: unknown) })
        }
    }

    static func every(_ children: [DraftCondition]) -> DraftCondition {
        var kept: [DraftCondition] = []
        var seen: Set<DraftCondition> = []
        for child in children.flatMap({ if case .all(let inner) = $0 { inner } else { [$0] } }) {
            if child == .never { return .never }
            if child != .always, seen.insert(child).inserted { kept.append(child) }
        }
        return kept.isEmpty ? .always : kept.count == 1 ? kept[0] : .all(kept)
    }

    static func some(_ children: [DraftCondition]) -> DraftCondition {
        var kept: [DraftCondition] = []
        var seen: Set<DraftCondition> = []
        for child in children.flatMap({ if case .any(let inner) = $0 { inner } else { [$0] } }) {
            if child == .always { return .always }
            if child != .never, seen.insert(child).inserted { kept.append(child) }
        }
        return kept.isEmpty ? .never : kept.count == 1 ? kept[0] : .any(kept)
    }

    static func negated(_ inner: DraftCondition) -> DraftCondition {
        switch inner {
        case .always: .never
        case .never: .always
        case .not(let condition): condition
        case .all, .any, .test, .unknown: .not(inner)
        }
    }
}

/// One condition with its value: `subject: { contains: 'invoice' }`.
struct DraftTest: Hashable {
    enum Form: String {
        /// A value without a mapping: `from: '@x.org'`, `size: '>2M'`.
        case plain
        case contains
        case equals
        case glob
        case matches
    }

    var key: String
    var form: Form
    var value: String
    /// For a pattern, a text that matches it.
    var sample: String?
}

extension DraftCondition {
    /// The longest value, in characters.
    static let longestValue = 1_000

    static func plain(_ key: String, _ value: String) -> DraftCondition {
        text(key, .plain, value)
    }

    /// The condition that the field is not empty.
    static func present(_ key: String) -> DraftCondition {
        .test(DraftTest(key: key, form: .plain, value: "*"))
    }

    /// The text is anywhere, without regard to case.
    static func contains(_ key: String, _ value: String) -> DraftCondition {
        // Blanks at the ends are part of the text to find, and a rule's text has none there.
        let isTight = value.first.map { !$0.isWhitespace } ?? false && !(value.last?.isWhitespace ?? true)
        return isTight
            ? text(key, .contains, value) : pattern(key, "(?i)" + quoted(value), sample: value)
    }

    /// The text is the whole value, without regard to case.
    static func equals(_ key: String, _ value: String) -> DraftCondition {
        value.allSatisfy(\.isWhitespace)
            ? pattern(key, "\\A\\s*\\z", sample: "") : text(key, .equals, value)
    }

    static func pattern(_ key: String, _ pattern: String, sample: String? = nil) -> DraftCondition {
        guard pattern.count <= longestValue, !pattern.unicodeScalars.contains(where: isUnwritable) else {
            return .unknown
        }
        return .test(DraftTest(key: key, form: .matches, value: pattern, sample: sample))
    }

    private static func text(_ key: String, _ form: DraftTest.Form, _ value: String) -> DraftCondition {
        // Where texts are compared, every kind of blank is one.
        let value = String(value.map { $0.isWhitespace ? " " : $0 })
        guard !value.isEmpty, value.count <= longestValue,
            !value.unicodeScalars.contains(where: isUnwritable)
        else { return .unknown }
        if let field = recipients[key], value.lowercased().contains("undisclosed") {
            return .test(DraftTest(key: field, form: form == .plain ? .contains : form, value: value))
        }
        return .test(DraftTest(key: key, form: form, value: value))
    }

    /// `To: undisclosed-recipients:;` is a group without an address: only the field as it is written has these words.
    private static let recipients = [
        "to": "header:To", "recipient": "header:To", "cc": "header:Cc", "bcc": "header:Bcc",
    ]

    /// Blanks are fine; a line of YAML cannot hold the others, or they would be invisible.
    private static func isUnwritable(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\u{9}" || SourceText.isHidden(scalar)
    }

    /// The text as a regular expression that matches it and nothing else.
    static func quoted(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            let isWord =
                scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "_"
            if scalar.isASCII, !isWord, scalar != " " { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
    }

    /// `*` is any text and `?` one character, `\` escapes them; the whole text has to match.
    static func wildcard(_ key: String, _ value: String, isExactCase: Bool = false) -> DraftCondition {
        let hasStar = value.contains("*")
        if !isExactCase, !value.contains("\\"), !value.contains("?") || hasStar, !value.hasPrefix(" "),
            !value.hasSuffix(" ")
        {
            return hasStar ? text(key, .glob, value) : equals(key, value)
        }
        return pattern(
            key, (isExactCase ? "(?s)" : "(?is)") + "\\A" + wildcardPattern(value, named: false) + "\\z",
            sample: wildcardSample(value))
    }

    /// The pattern of a wildcard; `named` makes its wildcards groups `m1`, `m2` and so on.
    ///
    /// `any`: the letters that a wildcard matches.
    static func wildcardPattern(_ value: String, named: Bool = false, any: String = ".") -> String {
        var (result, count, isEscaped) = ("", 0, false)
        for letter in value {
            switch letter {
            case "\\" where !isEscaped:
                isEscaped = true
                continue
            case "*" where !isEscaped, "?" where !isEscaped:
                count += 1
                let body = letter == "*" ? any + "*?" : any
                result += named && count <= 9 ? "(?P<m\(count)>\(body))" : body
            case _: result += quoted(String(letter))
            }
            isEscaped = false
        }
        return result
    }

    static func wildcardSample(_ value: String) -> String {
        var (result, isEscaped) = ("", false)
        for letter in value {
            switch letter {
            case "\\" where !isEscaped:
                isEscaped = true
                continue
            case "*" where !isEscaped, "?" where !isEscaped: result += "x"
            case _: result.append(letter)
            }
            isEscaped = false
        }
        return result
    }
}

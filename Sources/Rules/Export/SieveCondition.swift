/// A condition for a mail server, as written in a Sieve script. RFC 5228 §5.
indirect enum SieveCondition: Hashable, Sendable {
    case yes
    case no
    /// One test as written, with the extensions that it needs.
    case plain(String, Set<String>)
    case all([SieveCondition])
    case any([SieveCondition])
    case not(SieveCondition)

    static func plain(_ text: String, requires extensions: String...) -> SieveCondition {
        .plain(text, Set(extensions))
    }

    static func every(_ tests: [SieveCondition]) -> SieveCondition {
        let open = tests.filter { $0 != .yes }
        if open.contains(.no) { return .no }
        return open.isEmpty ? .yes : open.count == 1 ? open[0] : .all(open)
    }

    static func some(_ tests: [SieveCondition]) -> SieveCondition {
        let open = tests.filter { $0 != .no }
        if open.contains(.yes) { return .yes }
        return open.isEmpty ? .no : open.count == 1 ? open[0] : .any(open)
    }

    var inverted: SieveCondition {
        switch self {
        case .yes: .no
        case .no: .yes
        case .not(let inner): inner
        case .plain, .all, .any: .not(self)
        }
    }

    var extensions: Set<String> {
        switch self {
        case .yes, .no: []
        case .plain(_, let extensions): extensions
        case .all(let tests), .any(let tests): tests.reduce(into: []) { $0.formUnion($1.extensions) }
        case .not(let inner): inner.extensions
        }
    }

    /// As written in a script, on one or several lines; the lines after the first are indented by `indent`.
    func text(indent: String = "") -> String {
        switch self {
        case .yes: return "true"
        case .no: return "false"
        case .plain(let text, _): return text
        case .not(let inner): return "not " + inner.text(indent: indent)
        case .all(let tests): return list("allof", tests, indent)
        case .any(let tests): return list("anyof", tests, indent)
        }
    }

    private func list(_ word: String, _ tests: [SieveCondition], _ indent: String) -> String {
        let inner = indent + "    "
        let short = "\(word) (" + tests.map { $0.text(indent: inner) }.joined(separator: ", ") + ")"
        if short.count + indent.count <= 90, !short.contains("\n") { return short }
        return "\(word) (\n" + tests.map { inner + $0.text(indent: inner) }.joined(separator: ",\n")
            + "\n\(indent))"
    }

    // MARK: Quoting

    /// RFC 5228 §2.4.2.
    static func quoted(_ text: String) -> String {
        let clean = String(
            String.UnicodeScalarView(text.unicodeScalars.filter { $0.value != 0 && $0.value != 13 }))
        return "\"" + clean.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    static func list(_ texts: [String]) -> String {
        texts.count == 1 ? quoted(texts[0]) : "[" + texts.map(quoted).joined(separator: ", ") + "]"
    }
}

/// A condition with a lower and an upper bound: every message that matches `lower` matches the condition, and
/// every message that matches the condition matches `upper`. Both are equal if Sieve can express the whole
/// condition exactly.
struct SieveBounds {
    var lower: SieveCondition
    var upper: SieveCondition
    /// Conditions that Sieve cannot test, with the reason.
    var missing: [(piece: String, reason: String)] = []

    static func exactly(_ test: SieveCondition) -> SieveBounds { SieveBounds(lower: test, upper: test) }

    static func unknown(_ piece: String, _ reason: String) -> SieveBounds {
        SieveBounds(lower: .no, upper: .yes, missing: [(piece, reason)])
    }

    /// Whether Sieve can test all conditions, at least within bounds.
    var isWhole: Bool { missing.isEmpty }

    static func every(_ parts: [SieveBounds]) -> SieveBounds {
        SieveBounds(
            lower: .every(parts.map(\.lower)), upper: .every(parts.map(\.upper)),
            missing: parts.flatMap(\.missing))
    }

    static func some(_ parts: [SieveBounds]) -> SieveBounds {
        SieveBounds(
            lower: .some(parts.map(\.lower)), upper: .some(parts.map(\.upper)),
            missing: parts.flatMap(\.missing))
    }

    var inverted: SieveBounds {
        SieveBounds(lower: upper.inverted, upper: lower.inverted, missing: missing)
    }
}

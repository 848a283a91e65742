/// The spelling of a condition: as a term of the query language, and as a key with a value in a mapping.
///
///     subject:"q3 plan"        subject: 'q3 plan'
///     subject:/INV-\d+/        subject: { matches: 'INV-\d+' }
///     size>2M                  size: '>2M'
///
/// Parsing either spelling gives the same condition.
struct Spelling: Hashable, Sendable {
    enum Value: Hashable, Sendable {
        /// `is:unread`: no value is needed.
        case none
        case value(RawValue.Form, String)
        /// The query inside `thread:has(…)`.
        case nested(String)
    }

    /// `subject`, `header:X-Spam`, `is:unread`; empty for words without a prefix.
    let name: String
    var sign: Comparison?
    var value = Value.none
    /// Whether the value may be a phrase, a pattern and so on; otherwise it is plain text.
    private var takesForms = true

    init(_ name: String) { self.name = name }

    init(_ name: String, nested query: String) {
        self.name = name
        value = .nested(query)
    }

    /// A value with spaces is written in quotes if that means the same.
    init(_ name: String, _ raw: RawValue, sign: Comparison? = nil, takesForms: Bool = true) {
        self.sign = sign
        self.takesForms = takesForms
        let isPhrase =
            raw.form == .bare && raw.text.contains(where: \.isWhitespace) && !raw.text.contains("*")
        let form = isPhrase ? .quoted : raw.form
        value = .value(form, raw.text)
        let isWord =
            raw.text.allSatisfy { $0.isLetter || $0.isNumber }
            && !["or", "and", "not"].contains(raw.text.lowercased())
        self.name = name.isEmpty && form != .quoted && !isWord ? "text" : name
    }

    /// A term of a query.
    var query: String {
        switch value {
        case .none: return name
        case .nested(let query): return "\(name)(\(query))"
        case .value(let form, let text):
            let written = Self.written(form, text)
            if name.isEmpty { return written }
            return sign.map { "\(name)\($0.rawValue)\(written)" } ?? "\(name):\(written)"
        }
    }

    /// A key and its value, as YAML in flow style.
    var mapping: String {
        switch value {
        case .none:
            let parts = name.split(separator: ":", maxSplits: 1)
            return "\(parts[0]): \(parts.count == 2 ? Self.quoted(String(parts[1])) : "'*'")"
        case .nested(let query): return "\(name): \(Self.quoted(query))"
        case .value(let form, let text):
            let key = name.isEmpty ? "text" : name
            return "\(Self.quoted(key)): \(scalar(form, text))"
        }
    }

    private func scalar(_ form: RawValue.Form, _ text: String) -> String {
        func quoted(_ text: String) -> String { Self.quoted(text) }
        switch form {
        case .bare:
            let isGlob = takesForms && text.contains("*") && text != "*"
            return isGlob ? "{ glob: \(quoted(text)) }" : quoted((sign?.rawValue ?? "") + text)
        case .quoted:
            // As a user would write it, if parsing that gives the same value.
            let isPlain = text.contains(" ") && !text.contains("*") && text.first?.isLetter == true
            return isPlain ? quoted(text) : quoted("\"\(text)\"")
        case .exact: return "{ equals: \(quoted(text)) }"
        case .contains: return "{ contains: \(quoted(text)) }"
        case .regex(let insensitive): return "{ matches: \(quoted((insensitive ? "(?i)" : "") + text)) }"
        }
    }

    /// A YAML scalar in single quotes; in double quotes if it has line breaks.
    static func quoted(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) })
        else {
            return "'" + text.replacing("'", with: "''") + "'"
        }
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\", "\"": result += "\\" + String(scalar)
            case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value):
                let hex = String(scalar.value, radix: 16, uppercase: true)
                result += "\\x" + (hex.count < 2 ? "0" : "") + hex
            case _: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    // MARK: Values in queries

    private static func written(_ form: RawValue.Form, _ text: String) -> String {
        switch form {
        case .quoted: inQuotes(text)
        case .exact: "=" + inQuotes(text)
        case .contains: "~" + inQuotes(text)
        case .bare: escaped(text)
        case .regex(let insensitive): "/" + text.escapingSlashes + "/" + (insensitive ? "i" : "")
        }
    }

    private static func inQuotes(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// A value without quotes: characters that would end it, or change its form, get a backslash.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for (index, letter) in text.enumerated() {
            let isForm = index == 0 && ("=~\"/".contains(letter) || RawValue.pairs[letter] != nil)
            if letter.isWhitespace || "()\\".contains(letter) || isForm { result += "\\" }
            result.append(letter)
        }
        return result
    }
}

extension Condition {
    /// The condition in the query language.
    var query: String { query(inside: false) }

    private func query(inside isOperand: Bool) -> String {
        switch self {
        case .always: return "*"
        case .test(let test): return test.text
        case .not(let inner): return "-" + inner.query(inside: true)
        case .all(let branches):
            let text = branches.children.map { $0.query(inside: true) }.joined(separator: " ")
            return isOperand ? "(\(text))" : text
        case .any(let branches):
            let text = branches.children.map { $0.query(inside: true) }.joined(separator: " or ")
            return isOperand ? "(\(text))" : text
        }
    }

    /// The condition as a mapping, as YAML in flow style.
    var mapping: String {
        switch self {
        case .always: "'*'"
        case .test(let test): "{ \(test.spelling.mapping) }"
        case .not(let inner): "{ not: \(inner.mapping) }"
        case .all(let branches): "{ all: [\(branches.children.map(\.mapping).joined(separator: ", "))] }"
        case .any(let branches): "{ any: [\(branches.children.map(\.mapping).joined(separator: ", "))] }"
        }
    }
}

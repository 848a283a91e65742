import Models

/// Writes rules as YAML that the checker accepts and that people can read.
///
/// Values are in single quotes, where only the quote itself has a meaning. Texts of several lines are in double quotes.
struct RuleWriter {
    static let width = 100

    static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }

    /// A text as one quoted line, with its line ends. Characters that YAML does not allow become blanks.
    static func lines(_ text: String) -> String {
        var result = "\""
        for scalar in text.replacing("\r\n", with: "\n").unicodeScalars {
            switch scalar {
            case "\n": result += "\\n"
            case "\"", "\\": result += "\\" + String(scalar)
            case _ where SourceText.isHidden(scalar): result += " "
            case _: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    // MARK: Conditions

    /// `when: …`, in one line if it fits.
    static func condition(_ name: String, _ condition: DraftCondition) -> [String] {
        if condition == .always { return ["\(name): '*'"] }
        let lines = mapping(condition)
        if lines.count == 1, name.count + lines[0].count + 6 <= width { return ["\(name): { \(lines[0]) }"] }
        return ["\(name):"] + indented(lines)
    }

    /// The lines of a mapping for the condition.
    private static func mapping(_ condition: DraftCondition) -> [String] {
        switch condition {
        case .test(let test): return self.test(test.key, test.form, [test.value])
        case .not(let inner): return self.condition("not", inner)
        case .any(let children):
            return values(children) ?? (["any:"] + indented(grouped(children).flatMap(item)))
        case .all(let children): return merged(children) ?? (["all:"] + indented(children.flatMap(item)))
        case .always: return ["all: ['*']"]
        case .never, .unknown: return ["not: '*'"]
        }
    }

    /// Alternatives with the same key are put together, so that they become one key with a list.
    private static func grouped(_ children: [DraftCondition]) -> [DraftCondition] {
        var groups: [[DraftCondition]] = []
        var places: [String: Int] = [:]
        for child in children {
            guard case .test(let test) = child else {
                groups.append([child])
                continue
            }
            let name = test.key + " " + test.form.rawValue
            if let place = places[name] {
                groups[place].append(child)
            } else {
                places[name] = groups.count
                groups.append([child])
            }
        }
        return groups.map { $0.count == 1 ? $0[0] : .any($0) }
    }

    private static func item(_ condition: DraftCondition) -> [String] {
        let lines = mapping(condition)
        return lines.enumerated().map { ($0.offset == 0 ? "- " : "  ") + $0.element }
    }

    /// Conditions with different keys are side by side in one mapping.
    private static func merged(_ children: [DraftCondition]) -> [String]? {
        let keys = children.map { child -> String in
            switch child {
            case .test(let test): test.key
            case .any(let inner): values(inner) == nil ? "any" : firstKey(inner)
            case .not: "not"
            case .all, .always, .never, .unknown: "all"
            }
        }
        guard Set(keys).count == keys.count, !keys.contains("all") else { return nil }
        return children.flatMap(mapping)
    }

    private static func firstKey(_ children: [DraftCondition]) -> String {
        if case .test(let test)? = children.first { test.key } else { "any" }
    }

    /// One key with several values means any of them.
    private static func values(_ children: [DraftCondition]) -> [String]? {
        let tests = children.compactMap { if case .test(let test) = $0 { test } else { nil } }
        guard let first = tests.first, tests.count == children.count,
            tests.allSatisfy({ $0.key == first.key && $0.form == first.form })
        else { return nil }
        return test(first.key, first.form, tests.map(\.value))
    }

    private static func test(_ key: String, _ form: DraftTest.Form, _ values: [String]) -> [String] {
        let name = isPlainKey(key) ? key : quoted(key)
        let isState = key == "is" || key == "has"
        let quoted = values.map { isState ? $0 : Self.quoted($0) }
        let flow = quoted.count == 1 ? quoted[0] : "[\(quoted.joined(separator: ", "))]"
        let short = form == .plain ? "\(name): \(flow)" : "\(name): { \(form.rawValue): \(flow) }"
        if quoted.count == 1 || short.count <= width { return [short] }
        let list = quoted.map { "- " + $0 }
        return form == .plain
            ? ["\(name):"] + indented(list) : ["\(name):", "  \(form.rawValue):"] + indented(indented(list))
    }

    private static func isPlainKey(_ key: String) -> Bool {
        key.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || "-:_".utf8.contains(byte)
        } && key.first?.isLetter ?? false && key.last != ":"
    }

    static func indented(_ lines: [String]) -> [String] { lines.map { "  " + $0 } }

    // MARK: Rules

    /// One entry of `rules:`, without the indentation of the list. `exceptions` are the ids of rules that go before.
    static func rule(_ rule: DraftRule, exceptions: [String]) -> [String] {
        var lines = ["id: \(rule.id)"]
        if !rule.description.isEmpty { lines.append("description: \(quoted(rule.description))") }
        lines += condition("when", rule.when)
        if !exceptions.isEmpty { lines += ["unless:"] + indented(test("matched", .plain, exceptions)) }
        lines += then(rule.actions)
        if rule.stops { lines.append("stop: true") }
        if rule.continues { lines.append("continue: true") }
        if !rule.isEnabled { lines.append("enabled: false") }
        return listed(lines)
    }

    private static func then(_ actions: [DraftAction]) -> [String] {
        let words = actions.map(action)
        if words.count == 1 {
            return ["then: " + (words[0].contains(":") ? "{ \(words[0]) }" : words[0])]
        }
        let flow = words.map { $0.contains(":") ? "{ \($0) }" : $0 }.joined(separator: ", ")
        return flow.count + 8 <= width ? ["then: [\(flow)]"] : ["then:"] + indented(words.map { "- " + $0 })
    }

    private static func action(_ action: DraftAction) -> String {
        switch action.value {
        case .nothing: action.name.rawValue
        case .word(let text): "\(action.name.rawValue): \(text)"
        case .text(let text): "\(action.name.rawValue): \(quoted(text))"
        case .fields(let fields): "\(action.name.rawValue): { \(fields.joined(separator: ", ")) }"
        }
    }

    static func listed(_ lines: [String]) -> [String] {
        lines.enumerated().map { ($0.offset == 0 ? "- " : "  ") + $0.element }
    }

    /// Each text on lines of its own, at most 400 Characters of it.
    static func comment(_ texts: [String]) -> [String] {
        texts.flatMap { wrapped(SourceText.oneLine($0, limit: 400)) }.map { "# " + $0 }
    }

    private static func wrapped(_ text: String) -> [String] {
        var lines = [""]
        for word in text.split(separator: " ") {
            let last = lines[lines.count - 1]
            if last.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if last.count + word.count < width {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append("  " + word)
            }
        }
        return lines
    }
}

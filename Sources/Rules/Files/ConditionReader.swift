import Models
import YAMLSource

/// Reads `when:` and `unless:`: a mapping of conditions, or a string in the query language.
///
///     when: { from: '@acme.example', subject: { matches: '(?i)invoice (?P<number>\d+)' } }
///     when: from:@acme.example subject:/invoice/i
///
/// Both become the same tree. All keys of a mapping must match; of a list of values, any may match.
struct ConditionReader {
    let report: Report
    let names: KnownNames

    func read(_ node: YAMLNode, _ what: String) -> Condition? {
        switch node.kind {
        case .scalar(let text, _):
            guard !node.isEmpty, !text.trimmingBlanks().isEmpty else {
                report.error("R003", node, "\(what) is empty", "'*' matches every message")
                return nil
            }
            return query(text, node)
        case .mapping(let pairs):
            if pairs.isEmpty { report.error("R003", node, "\(what) is empty", "'*' matches every message") }
            return all(pairs.map { pair(key: $0.key, value: $0.value) })
        case .sequence:
            report.error(
                "R002", node, "\(what) is a mapping or a query, not a list", "write all: or any: before it")
            return nil
        }
    }

    private func query(_ text: String, _ node: YAMLNode) -> Condition? {
        var parser = QueryParser(text, names: names)
        let condition = parser.parse()
        for problem in parser.problems { report.add(problem, in: node) }
        return condition
    }

    private func all(_ children: [Condition?]) -> Condition? {
        let read = children.compactMap { $0 }
        return read.count == children.count && !read.isEmpty ? .all(read) : nil
    }

    private func any(_ children: [Condition?]) -> Condition? {
        let read = children.compactMap { $0 }
        return read.count == children.count && !read.isEmpty ? .any(read) : nil
    }

    private func pair(key: YAMLNode, value: YAMLNode) -> Condition? {
        guard let name = key.scalar else { return nil }
        switch name {
        case "all": return all(items(value, name))
        case "any": return any(items(value, name))
        case "not":
            return (value.sequence == nil ? read(value, name) : any(items(value, name))).map { .not($0) }
        case _: return condition(name, key: key, value: value)
        }
    }

    /// The entries of `all:` and `any:`: a list or a mapping of conditions.
    private func items(_ node: YAMLNode, _ what: String) -> [Condition?] {
        if let pairs = node.mapping { return pairs.map { pair(key: $0.key, value: $0.value) } }
        guard let nodes = report.sequence(node, "'\(what)'") else { return [nil] }
        if nodes.isEmpty { report.error("R003", node, "'\(what)' is empty") }
        return nodes.map { read($0, "a condition") }
    }

    // MARK: One condition

    private func condition(_ name: String, key: YAMLNode, value: YAMLNode) -> Condition? {
        if name == "is" || name == "has" { return any(values(value).map { state(name, $0) }) }
        if name.hasPrefix("header:") {
            let field = String(name.dropFirst("header:".count))
            guard QueryParser.isFieldName(field) else {
                report.error("R020", key, "a header field's name is missing", "header:X-Spam-Flag: 'yes'")
                return nil
            }
            return any(values(value).map { test(field, .header, $0) })
        }
        if let states = states(name, value) { return any(states) }
        guard let entry = ConditionTable.entry(name), !name.contains("<") else {
            report.add(unknown(name), in: key)
            return nil
        }
        if case .state = entry.meaning {
            let parts = name.split(separator: ":")
            report.error(
                "R020", key, "'\(name)' is a key and its value", "write \(parts.joined(separator: ": "))")
            return nil
        }
        if case .thread = entry.meaning { return any(values(value).map { thread(name, $0) }) }
        return any(values(value).map { test(name, entry.meaning, $0) })
    }

    /// `thread: unanswered`, `task: [waiting, overdue]`, `sender: first-seen`; nil if the values are not
    /// states.
    private func states(_ family: String, _ node: YAMLNode) -> [Condition?]? {
        guard ConditionTable.families.contains(family), family != "attachment" else { return nil }
        let nodes = node.sequence ?? [node]
        // `sender` also accepts addresses; `thread` accepts nothing else.
        if ConditionTable.entry(family) != nil {
            let areStates = nodes.allSatisfy { item in
                guard let word = item.scalar, let entry = ConditionTable.entry("\(family):\(word)") else {
                    return false
                }
                if case .state = entry.meaning { return true }
                return false
            }
            guard areStates, !nodes.isEmpty else { return nil }
        } else if node.scalar == nil, node.sequence == nil {
            return nil
        }
        return values(node).map { state(family, $0) }
    }

    /// The messages of the conversation: a mapping, or a query.
    private func thread(_ name: String, _ node: YAMLNode) -> Condition? {
        guard let inner = read(node, "'\(name)'") else { return nil }
        guard !inner.tests.contains(where: { $0.inner != nil }) else {
            report.error("R020", node, "'\(name)' cannot be inside itself")
            return nil
        }
        return .test(ConditionTest(kind: .thread(inner), spelling: Spelling(name, nested: inner.query)))
    }

    private func values(_ node: YAMLNode) -> [YAMLNode] {
        guard let nodes = node.sequence else { return [node] }
        if nodes.isEmpty { report.error("R003", node, "the list of values is empty") }
        return nodes
    }

    private func unknown(_ name: String) -> QueryProblem {
        var problem = QueryParser.unknownCondition(name, offset: 0, inMapping: true)
        let parts = name.split(separator: ":", maxSplits: 1)
        if name == "header" { problem.suggestion = "write header:<name>: with the field's name" }
        if name == "attachment" || parts.count == 2, let family = parts.first,
            ConditionTable.families.contains(String(family))
        {
            problem.suggestion =
                "one of: "
                + ConditionTable.words(ofFamily: String(family)).map { "\(family):\($0)" }.joined(
                    separator: ", ")
        }
        return problem
    }

    private func state(_ family: String, _ node: YAMLNode) -> Condition? {
        guard let word = report.text(node, "'\(family)'") else { return nil }
        if family == "is", names.defines.contains(word) {
            return .test(ConditionTest(kind: .defined(word), spelling: Spelling("is:\(word)")))
        }
        guard let entry = ConditionTable.entry("\(family):\(word)") else {
            report.add(
                QueryParser.unknownWord(word, family: family, names: names, offset: 0, inMapping: true),
                in: node)
            return nil
        }
        guard case .state(let state) = entry.meaning else {
            report.error("R020", node, "'\(entry.name)' needs a value", "write \(entry.name): …")
            return nil
        }
        return .test(ConditionTest(kind: .state(state), spelling: Spelling(entry.name)))
    }

    private func test(_ name: String, _ meaning: ConditionMeaning, _ node: YAMLNode) -> Condition? {
        if let pairs = node.mapping { return forms(name, meaning, node, pairs) }
        guard let text = report.text(node, "'\(name)'") else { return nil }
        return test(name, meaning, RawValue(scalar: text), node)
    }

    private func test(
        _ name: String, _ meaning: ConditionMeaning, _ raw: RawValue, _ node: YAMLNode
    ) -> Condition? {
        var reader = ValueReader(names: names)
        defer { for warning in reader.warnings { report.add(warning, in: node) } }
        do {
            return .test(try reader.test(name, meaning, raw))
        } catch {
            report.add(error, in: node)
            return nil
        }
    }

    // MARK: contains, equals, matches, glob

    static let formNames = ["contains", "equals", "matches", "glob"]

    private func forms(
        _ name: String, _ meaning: ConditionMeaning, _ node: YAMLNode,
        _ pairs: [(key: YAMLNode, value: YAMLNode)]
    ) -> Condition? {
        switch meaning {
        case .text, .address, .header: break
        case .amount, .age, .time, .weekday, .state, .keyword, .mailbox, .rule, .clock, .thread,
            .taskList,
            .waited, .authentication, .identity:
            report.error("R020", node, "'\(name)' takes \(meaning.valueHelp), not a mapping")
            return nil
        }
        if pairs.isEmpty { report.error("R003", node, "'\(name)' is empty") }
        return all(
            pairs.map { key, value in
                guard let form = key.scalar, Self.formNames.contains(form) else {
                    report.checkKeys([(key, value)], Self.formNames, code: "R012", "form of a text condition")
                    return nil
                }
                return any(values(value).map { self.form(form, name, meaning, $0) })
            })
    }

    private func form(
        _ form: String, _ name: String, _ meaning: ConditionMeaning, _ node: YAMLNode
    ) -> Condition? {
        guard let text = report.text(node, "'\(form)'") else { return nil }
        switch form {
        case "matches":
            return test(
                name, meaning, RawValue(form: .regex(insensitive: false), text: text, offset: 0), node)
        case "equals": return test(name, meaning, RawValue(form: .exact, text: text, offset: 0), node)
        case "glob":
            let glob = text.contains("*") ? text : text + "*"
            let isWhole = !text.contains("*")
            return isWhole
                ? test(name, meaning, RawValue(form: .exact, text: text, offset: 0), node)
                : test(name, meaning, RawValue(form: .bare, text: glob, offset: 0), node)
        case _: return test(name, meaning, RawValue(form: .contains, text: text, offset: 0), node)
        }
    }
}

import Models
import YAMLSource

/// Reads `expect:` of a rule test.
struct ExpectationReader {
    static let keys = [
        "rule", "disposition", "move", "defer", "task", "labels", "unlabels", "flagged", "read", "delegate",
        "protected-by", "waiting", "reply", "forward", "notify", "unsubscribe",
        "save-attachment",
    ]

    let report: Report
    let names: KnownNames

    func read(_ node: YAMLNode) -> [RuleTest.Expectation] {
        guard let pairs = report.mapping(node, "'expect'") else { return [] }
        report.checkKeys(pairs, Self.keys, code: "R015", "field of 'expect'")
        if pairs.isEmpty { report.error("R003", node, "'expect' is empty", "expect: { rule: none }") }
        return pairs.compactMap { key, value in
            guard let name = key.scalar else { return nil }
            return expectation(name, value)
        }
    }

    private func expectation(_ name: String, _ node: YAMLNode) -> RuleTest.Expectation? {
        switch name {
        case "rule": return rule(node)
        case "disposition": return disposition(node)
        case "move": return report.text(node, "'move'").map { .move(to: $0) }
        case "defer": return report.date(node, "'defer'", captures: []).map { .deferUntil($0.source) }
        case "task": return node.scalar == "none" ? .noTask : task(node)
        case "labels": return .labels(report.texts(node, "a label").map(\.text))
        case "unlabels": return .unlabels(report.texts(node, "a label").map(\.text))
        case "flagged": return report.bool(node, "'flagged'").map { .flagged($0) }
        case "read": return report.bool(node, "'read'").map { .read($0) }
        case "delegate": return node.scalar == "none" ? .noDelegate : delegate(node)
        case "waiting", "reply", "forward":
            guard let text = report.text(node, "'\(name)'") else { return nil }
            guard text != "none" else { return .made(name, "none") }
            guard let address = AddressText.one(text) else {
                report.error("R023", node, "'\(text)' is no address", "bob@acme.example, or none")
                return nil
            }
            return .made(name, address.comparable)
        case "notify": return report.text(node, "'notify'").map { .made(name, $0) }
        case "save-attachment":
            return .made(name, report.texts(node, "a file").map(\.text).joined(separator: ", "))
        case "unsubscribe":
            return report.bool(node, "'unsubscribe'").map { .made(name, $0 ? "true" : "none") }
        case "protected-by": return report.text(node, "'protected-by'").map { .protectedBy($0) }
        case _: return nil
        }
    }

    private func rule(_ node: YAMLNode) -> RuleTest.Expectation? {
        guard let id = report.text(node, "'rule'") else { return nil }
        if id == "none" { return .rule(nil) }
        guard names.rules.contains(id) else {
            report.error(
                "R042", node, "no rule is called '\(id)'",
                nearestName(id, among: names.rules).map { "did you mean '\($0)'?" })
            return nil
        }
        return .rule(id)
    }

    private func disposition(_ node: YAMLNode) -> RuleTest.Expectation? {
        let known = ActionTable.entries.filter(\.isDisposition).map(\.name)
        guard let text = report.text(node, "'disposition'"), known.contains(text) else {
            report.error("R020", node, "a disposition is one of: \(known.joined(separator: ", "))")
            return nil
        }
        return .disposition(text)
    }

    private func task(_ node: YAMLNode) -> RuleTest.Expectation? {
        if let title = node.scalar { return .task(["title": [title]]) }
        guard let pairs = report.mapping(node, "'task'") else { return nil }
        let fields = ["title", "list", "context", "due", "start", "notes"]
        report.checkKeys(pairs, fields, code: "R015", "field of an expected task")
        var expected: [String: [String]] = [:]
        for (key, value) in pairs {
            guard let name = key.scalar else { continue }
            if name == "due" || name == "start", value.scalar != "none" {
                if let date = report.date(value, "'\(name)'", captures: []) { expected[name] = [date.source] }
            } else {
                expected[name] = report.texts(value, "'\(name)'").map(\.text)
            }
        }
        return .task(expected)
    }

    private func delegate(_ node: YAMLNode) -> RuleTest.Expectation? {
        let to = node["to"] ?? node
        if let pairs = node.mapping {
            report.checkKeys(pairs, ["to"], code: "R015", "field of an expected delegation")
        }
        guard let text = report.text(to, "'to'") else { return nil }
        guard let address = AddressText.one(text) else {
            report.error("R023", to, "'\(text)' is no address", "bob@acme.example")
            return nil
        }
        return .delegate(to: address)
    }
}

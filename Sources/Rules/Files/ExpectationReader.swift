import Models
import YAMLSource

/// Reads `expect:` of a rule test.
struct ExpectationReader {
    static let keys = ["rule", "disposition"] + ActionTable.expectations.map(\.key) + ["protected-by"]

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
        case "protected-by": return report.text(node, "'protected-by'").map { .protectedBy($0) }
        case _:
            let expectation = ActionTable.expectations.first { $0.key == name }
            return expectation?.read(node, report).map { .action($0) }
        }
    }

    private func rule(_ node: YAMLNode) -> RuleTest.Expectation? {
        guard let id = report.text(node, "'rule'") else { return nil }
        if id == "none" { return .rule(nil) }
        guard names.rules.contains(id) else {
            report.error(
                "R042", node, "no rule has the id '\(id)'",
                nearestName(id, among: names.rules).map { "did you mean '\($0)'?" })
            return nil
        }
        return .rule(id)
    }

    private func disposition(_ node: YAMLNode) -> RuleTest.Expectation? {
        let known = ActionTable.entries.filter(\.isDisposition).map(\.name)
        guard let text = report.text(node, "'disposition'"), known.contains(text) else {
            report.error("R020", node, "a disposition must be one of: \(known.joined(separator: ", "))")
            return nil
        }
        return .disposition(text)
    }
}

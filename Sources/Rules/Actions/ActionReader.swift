import Models
import YAMLSource

/// Reads `then:`: a list of actions, each with or without a value.
struct ActionReader {
    let report: Report
    /// The named groups of the rule's patterns.
    let captures: Set<String>

    /// An action and the node that it was read from.
    typealias Placed = (action: any ActionTemplate, node: YAMLNode)

    func read(_ node: YAMLNode) -> [Placed] {
        let result = (node.sequence ?? [node]).flatMap { item($0) }
        let dispositions = result.filter { $0.action.isDisposition }
        if dispositions.count > 1 {
            report.error(
                "R050", dispositions[1].node,
                "a rule can use only one of archive, move, trash, junk and defer: '\(dispositions[0].action.name.rawValue)' and '\(dispositions[1].action.name.rawValue)'",
                "keep one of them")
        }
        if let waiting = result.first(where: { $0.action.name == .waiting }),
            result.contains(where: { $0.action.name == .delegate })
        {
            report.error(
                "R050", waiting.node, "'delegate' already waits for the answer", "leave 'waiting' out")
        }
        return result
    }

    private func item(_ node: YAMLNode) -> [Placed] {
        switch node.kind {
        case .scalar(let text, _):
            guard let template = template(text, at: node) else { return [] }
            guard let plain = template.plain else {
                report.error(
                    "R020", node, "'\(text)' needs a value: \(template.entry.value)", template.entry.example)
                return []
            }
            return [(plain, node)]
        case .mapping(let pairs):
            return pairs.flatMap { key, value -> [Placed] in
                guard let name = key.scalar, let template = template(name, at: key) else { return [] }
                return read(template, value).map { ($0, key) }
            }
        case .sequence:
            report.error("R002", node, "an action must be a word or a mapping, not a list")
            return []
        }
    }

    private func read(_ template: any ActionTemplate.Type, _ value: YAMLNode) -> [any ActionTemplate] {
        if template.entry.value.isEmpty, !value.isEmpty, value.scalar != "true" {
            report.error("R020", value, "'\(template.entry.name)' takes no value")
        }
        return template.read(value, ActionSource(report: report, captures: captures))
    }

    private func template(_ name: String, at node: YAMLNode) -> (any ActionTemplate.Type)? {
        if let template = ActionTable.template(name) { return template }
        let known = ForeignWords.action(name) ?? nearest(to: name, among: ActionTable.names)
        report.error(
            "R013", node, "unknown action '\(name)'",
            known.map { "did you mean '\($0)'?" } ?? "one of: \(ActionTable.names.joined(separator: ", "))")
        return nil
    }
}

import Models
import YAMLSource

/// `label: reading`: adds labels to the message.
struct LabelAction: ActionTemplate {
    static let entry = ActionEntry(
        .label, value: "one label or a list", form: .texts, help: "add labels",
        example: "label: reading")

    let label: LabelTemplate

    static func read(_ node: YAMLNode, _ source: ActionSource) -> [Self] {
        LabelTemplate.read(node, source).map { Self(label: $0) }
    }

    var usesText: Bool { label.template.usesText }

    func make(_ maker: inout ActionMaker) -> Action? { label.keyword(&maker).map { .label($0) } }

    static let expectation: ActionExpectation? = .labels("labels") {
        if case .mark(.label(let keyword)) = $0 { keyword.rawValue } else { nil }
    }

    func export(to script: inout SieveCommands) -> Bool { label.export("addflag", to: &script) }
}

/// A label that may contain text of the mail, for `label` and `unlabel`.
struct LabelTemplate: Sendable {
    let template: Template

    static func read(_ node: YAMLNode, _ source: ActionSource) -> [LabelTemplate] {
        if let nodes = node.sequence, nodes.isEmpty {
            source.report.error("R003", node, "the list of labels is empty")
        }
        return (node.sequence ?? [node]).compactMap { item in
            guard let template = source.template(item, "a label") else { return nil }
            if let text = template.constant, !Keyword.isValid(text) {
                source.report.error(
                    "R020", item, "'\(text)' cannot be a label", "a to z, digits and - _ . / without spaces")
                return nil
            }
            return LabelTemplate(template: template)
        }
    }

    func keyword(_ maker: inout ActionMaker) -> Keyword? {
        let text = maker.rendering.text(template)
        guard Keyword.isValid(text) else {
            _ = maker.fail("made the label '\(text)', which no server accepts")
            return nil
        }
        return Keyword(text)
    }

    func export(_ command: String, to script: inout SieveCommands) -> Bool {
        guard let text = template.constant, Keyword.isValid(text) else {
            return script.refuse("label: \(template.source)", "the server has no templates")
        }
        return script.flag(command, text)
    }
}

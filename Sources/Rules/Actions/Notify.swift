import Models
import YAMLSource

/// `notify: 'text'`: a line in the report of the run.
struct NotifyAction: ActionTemplate {
    static let entry = ActionEntry(
        .notify, value: "nothing, or a text", form: .text, help: "a line in the report of the run",
        example: "notify: '{{from.name}} wrote'")

    let text: Template

    static var plain: Self? {
        (try? Template("{{from.name}}: {{subject}}", captures: [])).map { Self(text: $0) }
    }

    static func read(_ node: YAMLNode, _ source: ActionSource) -> [Self] {
        (node.isEmpty ? plain : source.template(node, "'notify'").map { Self(text: $0) }).map { [$0] } ?? []
    }

    var usesText: Bool { text.usesText }

    func make(_ maker: inout ActionMaker) -> Action? {
        .notify(maker.rendering.text(text).trimmingBlanks())
    }

    static let expectation: ActionExpectation? = .text(.notify) {
        if case .tell(.notify(let text)) = $0 { text } else { nil }
    }
}

import Models
import YAMLSource

/// `unlabel: new`: removes labels from the message.
struct UnlabelAction: ActionTemplate {
    static let entry = ActionEntry(
        .unlabel, value: "one label or a list", form: .texts, help: "remove labels", example: "unlabel: new"
    )

    let label: LabelTemplate

    static func read(_ node: YAMLNode, _ source: ActionSource) -> [Self] {
        LabelTemplate.read(node, source).map { Self(label: $0) }
    }

    var usesText: Bool { label.template.usesText }

    func make(_ maker: inout ActionMaker) -> Action? { label.keyword(&maker).map { .unlabel($0) } }

    static let expectation: ActionExpectation? = .labels("unlabels") {
        if case .mark(.unlabel(let keyword)) = $0 { keyword.rawValue } else { nil }
    }

    func export(to script: inout SieveCommands) -> Bool { label.export("removeflag", to: &script) }
}

import Models
import YAMLSource

/// `bundle: Reading`: adds the message to a bundle, which is shown as one line in lists.
struct BundleAction: ActionTemplate {
    static let entry = ActionEntry(
        .bundle, value: "a name", form: .text, help: "one line in lists with the others of this name",
        example: "bundle: Reading")

    let bundle: Bundle

    static func read(_ node: YAMLNode, _ source: ActionSource) -> [Self] {
        guard let template = source.template(node, "a bundle") else { return [] }
        guard let name = template.constant, let bundle = Bundle(name: name) else {
            source.report.error(
                "R020", node, "'\(template.source)' cannot be the name of a bundle",
                "a to z, digits and - _ . without spaces")
            return []
        }
        return [Self(bundle: bundle)]
    }

    var usesText: Bool { false }

    func make(_ maker: inout ActionMaker) -> Action? { .mark(.bundle(bundle.label)) }

    static let expectation: ActionExpectation? = .labels("bundle") {
        if case .mark(.bundle(let label)) = $0 { Bundle(label)?.name } else { nil }
    }

    /// A server only needs the label.
    func export(to script: inout SieveCommands) -> Bool { script.flag("addflag", bundle.label.rawValue) }
}

import Models
import YAMLSource

/// `unsubscribe`: suggests unsubscribing from the mailing list.
struct UnsubscribeAction: ActionTemplate {
    static let entry = ActionEntry(.unsubscribe, help: "propose to leave the list; you decide")

    static var plain: Self? { Self() }
    static func read(_ node: YAMLNode, _ source: ActionSource) -> [Self] { [Self()] }

    var needs: FactNeeds { .headers }

    func make(_ maker: inout ActionMaker) -> Action? {
        guard maker.rendering.view.header("list-unsubscribe").isEmpty else { return .unsubscribe }
        return maker.fail(
            "proposes to leave a list, but the message does not offer a way to unsubscribe (List-Unsubscribe)"
        )
    }

    static let expectation: ActionExpectation? = .init(key: "unsubscribe") { node, report in
        guard let expected = report.bool(node, "'unsubscribe'") else { return nil }
        return { outcome in
            let found = outcome.all { $0.name == .unsubscribe ? "true" : nil }
            return outcome.unlike("unsubscribe", expected ? "true" : "none", found)
        }
    }
}

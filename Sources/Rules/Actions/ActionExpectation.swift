import Models
import YAMLSource

/// What a rule test can expect of an action: a key under `expect:`, how its value is read, and how it is
/// checked.
struct ActionExpectation: Sendable {
    /// The difference from the expectation; nil: none.
    typealias Check = @Sendable (RuleTestOutcome) -> String?

    let key: String
    /// nil after an error.
    let read: @Sendable (YAMLNode, Report) -> Check?
}

extension ActionExpectation {
    /// The address that the action uses, or `none`.
    static func address(_ name: ActionName, _ found: @escaping @Sendable (Action) -> String?) -> Self {
        .init(key: name.rawValue) { node, report in
            guard let text = report.text(node, "'\(name.rawValue)'") else { return nil }
            guard text != "none" else { return { $0.unlike(name.rawValue, "none", $0.all(found)) } }
            guard let address = report.address(node, "'\(name.rawValue)'", orElse: "none") else { return nil }
            return { $0.unlike(name.rawValue, address.comparable, $0.all(found)) }
        }
    }

    /// A text, or `none`.
    static func text(_ name: ActionName, _ found: @escaping @Sendable (Action) -> String?) -> Self {
        .init(key: name.rawValue) { node, report in
            guard let text = report.text(node, "'\(name.rawValue)'") else { return nil }
            return { $0.unlike(name.rawValue, text, $0.all(found)) }
        }
    }

    /// The set or removed labels: all of them.
    static func labels(_ key: String, _ found: @escaping @Sendable (Action) -> String?) -> Self {
        .init(key: key) { node, report in
            let labels = report.texts(node, "a label").map(\.text).sorted().joined(separator: ", ")
            return { $0.unlike(key, labels, $0.actions.compactMap(found).sorted().joined(separator: ", ")) }
        }
    }

    /// Whether the message has the flag afterwards.
    static func flag(_ key: String, _ flag: Flag) -> Self {
        .init(key: key) { node, report in
            guard let expected = report.bool(node, "'\(key)'") else { return nil }
            return { outcome in
                let found = outcome.flags.contains(flag)
                return expected == found ? nil : "\(key): expected \(expected), got \(found)"
            }
        }
    }
}

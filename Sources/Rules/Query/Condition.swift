/// The tree of tests made from a `when`, an `unless`, a definition or a query.
indirect enum Condition: Sendable {
    /// `*`: every message.
    case always
    case all(Branches)
    case any(Branches)
    case not(Condition)
    case test(ConditionTest)

    /// The children in their written order, and in the order of evaluation: cheap ones first.
    struct Branches: Sendable {
        let children: [Condition]
        let order: [Int]

        init(_ children: [Condition]) {
            self.children = children
            let costs = children.map(\.cost)
            order = children.indices.sorted { (costs[$0], $0) < (costs[$1], $1) }
        }
    }

    static func all(_ children: [Condition]) -> Condition {
        children.count == 1 ? children[0] : .all(Branches(children))
    }

    static func any(_ children: [Condition]) -> Condition {
        children.count == 1 ? children[0] : .any(Branches(children))
    }

    /// A rough cost, so that flags are tested before bodies.
    var cost: Int {
        switch self {
        case .always: 0
        case .all(let branches), .any(let branches): branches.children.map(\.cost).max() ?? 0
        case .not(let inner): inner.cost
        case .test(let test): test.cost
        }
    }

    /// All tests of the tree, in their written order, including those inside `thread:has(…)`.
    var tests: [ConditionTest] {
        switch self {
        case .always: []
        case .all(let branches), .any(let branches): branches.children.flatMap(\.tests)
        case .not(let inner): inner.tests
        case .test(let test): [test] + (test.inner?.tests ?? [])
        }
    }

    /// The named groups that a match may set: those of tests that are not negated.
    var captureNames: Set<String> {
        switch self {
        case .always, .not: []
        case .all(let branches), .any(let branches):
            branches.children.reduce(into: []) { $0.formUnion($1.captureNames) }
        case .test(let test): Set(test.pattern?.groups.map(\.name) ?? [])
        }
    }
}

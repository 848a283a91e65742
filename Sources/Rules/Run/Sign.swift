/// Something that a message must contain to match a condition, and that can be looked up for many rules at
/// once.
enum Sign {
    case address(AddressField, AddressMatcher)
    case text(TextField, TextMatcher)
    case state(State)
}

/// Signs of which a matching message must contain at least one.
struct Signs {
    var any: [Sign]
    /// The index uses the signs of a rule with the lowest rank: they are rarer, or cheaper to look up.
    var rank: Int
}

/// Finds the signs of conditions.
///
/// A sign may be weaker than the condition, never stronger: without any of the signs the condition is `no`,
/// whatever facts are unknown.
struct SignReader {
    private let tables: RuleTables
    private var known: [String: Signs?] = [:]

    /// A condition with more alternatives is tested directly.
    private static let mostSigns = 200

    init(_ tables: RuleTables) { self.tables = tables }

    /// nil: there is nothing to look up.
    mutating func signs(of condition: Condition) -> Signs? {
        switch condition {
        case .always, .not: return nil
        case .test(let test): return signs(of: test)
        case .all(let branches):
            var best: Signs?
            for child in branches.children {
                guard let signs = signs(of: child) else { continue }
                if best.map({ signs.rank < $0.rank }) ?? true { best = signs }
            }
            return best
        case .any(let branches):
            var all = Signs(any: [], rank: 0)
            for child in branches.children {
                guard let signs = signs(of: child) else { return nil }
                all.any += signs.any
                all.rank = max(all.rank, signs.rank)
                guard all.any.count <= Self.mostSigns else { return nil }
            }
            return all
        }
    }

    private mutating func signs(of test: ConditionTest) -> Signs? {
        switch test.kind {
        case .address(let field, let matcher):
            switch field {
            case .from, .to, .cc, .bcc, .replyTo, .sender, .recipient:
                if case .present = matcher { return nil }
                return Signs(any: [.address(field, matcher)], rank: 1)
            case .deliveredTo, .returnPath: return nil
            }
        case .text(let field, let matcher):
            guard TextSigns.takes(matcher), let rank = Self.rank(of: field) else { return nil }
            return Signs(any: [.text(field, matcher)], rank: rank)
        case .state(let state):
            return state.rank.map { Signs(any: [Sign.state(state)], rank: $0) }
        case .defined(let name): return signs(ofName: "is:" + name, tables.defines[name])
        case .matched(let name): return signs(ofName: "matched:" + name, tables.rules[name])
        case .amount, .age, .time, .clock, .weekday, .keyword, .mailbox, .taskList, .waited,
            .authentication, .identity, .thread:
            return nil
        }
    }

    private mutating func signs(ofName name: String, _ condition: Condition?) -> Signs? {
        if let known = known[name] { return known }
        // Cycles are rejected when rules are compiled; if there is one anyway, it ends here.
        known[name] = .some(nil)
        guard let condition else { return nil }
        let found = signs(of: condition)
        known[name] = .some(found)
        return found
    }

    private static func rank(of field: TextField) -> Int? {
        switch field {
        case .subject: 2
        case .header: 5
        case .body: 6
        case .anyText: 7
        case .attachmentName, .attachmentType, .attachmentText: nil
        }
    }
}

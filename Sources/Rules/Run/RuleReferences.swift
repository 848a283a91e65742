/// The names that a rule refers to, directly or through definitions and other rules.
public struct RuleReferences: Hashable, Sendable {
    /// Sorted names.
    public var lists: [String] = []
    public var defines: [String] = []
    public var rules: [String] = []

    public var isEmpty: Bool { lists.isEmpty && defines.isEmpty && rules.isEmpty }
}

extension RuleSet {
    /// Everything that affects what the rule matches, except its own text.
    public func references(of rule: String) -> RuleReferences {
        guard let start = tables.rules[rule] else { return RuleReferences() }
        var (lists, defines, rules): (Set<String>, Set<String>, Set<String>) = ([], [], [])
        var open = [start]
        while let next = open.popLast() {
            for test in next.tests {
                switch test.kind {
                case .address(_, .list(let name)): lists.insert(name)
                case .defined(let name) where defines.insert(name).inserted:
                    if let condition = tables.defines[name] { open.append(condition) }
                case .matched(let name) where rules.insert(name).inserted:
                    if let condition = tables.rules[name] { open.append(condition) }
                case .thread(let condition): open.append(condition)
                case .address, .text, .amount, .age, .time, .clock, .weekday, .state, .keyword,
                    .mailbox,
                    .taskList, .waited, .authentication, .identity, .defined, .matched:
                    break
                }
            }
        }
        return RuleReferences(lists: lists.sorted(), defines: defines.sorted(), rules: rules.sorted())
    }
}

import Models

/// `matched`: the conditions of another rule.
extension ConditionEntry {
    static let matched = ConditionEntry(
        "matched", "logic", .rule, "the conditions of that rule hold", "matched:invoice-to-pay")
}

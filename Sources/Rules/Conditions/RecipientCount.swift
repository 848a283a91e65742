import Models

/// `recipient:count`: the number of addresses in To, Cc and Bcc.
extension ConditionEntry {
    static let recipientCount = ConditionEntry(
        "recipient:count", "addresses", .amount(.recipientCount), "addresses of To, Cc and Bcc together",
        "recipient:count>=10")
}

extension Amount {
    /// Each address counts once, even if it is repeated.
    static let recipientCount = Amount(
        unit: .count, values: { [$0.recipientCount] },
        seen: { counted($0.recipientCount, "recipient") })
}

extension MessageSight {
    fileprivate var recipientCount: Int {
        Set((facts.to + facts.cc + facts.bcc).map(\.comparable)).count
    }
}

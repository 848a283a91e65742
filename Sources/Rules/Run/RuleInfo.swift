public import Models

/// The description of a rule for lists and plans.
public struct RuleInfo: Hashable, Sendable {
    public let id: String
    public let description: String
    public let file: String
    public let line: Int
    /// Empty: all accounts.
    public let accounts: [AccountID]
    public let isEnabled: Bool
    /// Whether `opus watch` applies it to new mail.
    public let isAuto: Bool

    var disabled: RuleInfo {
        RuleInfo(
            id: id, description: description, file: file, line: line, accounts: accounts, isEnabled: false,
            isAuto: isAuto)
    }
}

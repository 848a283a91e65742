public import Models

/// A rule as lists and plans describe it.
public struct RuleInfo: Hashable, Sendable {
    public let id: String
    public let description: String
    public let file: String
    public let line: Int
    /// Empty: every account.
    public let accounts: [AccountID]
    public let isEnabled: Bool
    /// Whether `opus watch` applies it as mail comes.
    public let isAuto: Bool

    var disabled: RuleInfo {
        RuleInfo(
            id: id, description: description, file: file, line: line, accounts: accounts, isEnabled: false,
            isAuto: isAuto)
    }
}

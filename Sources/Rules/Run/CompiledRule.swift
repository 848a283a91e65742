public import Models

/// A rule as lists and plans speak of it.
public struct RuleInfo: Hashable, Sendable {
    public let id: String
    public let description: String
    public let file: String
    public let line: Int
    /// Empty: every account.
    public let accounts: [AccountID]
    public let isEnabled: Bool

    var disabled: RuleInfo {
        RuleInfo(
            id: id, description: description, file: file, line: line, accounts: accounts, isEnabled: false)
    }
}

/// One rule, checked and ready.
struct CompiledRule: Sendable {
    var info: RuleInfo
    var when: Condition
    var unless: Condition?
    var actions: [ActionTemplate]
    var stops: Bool
    var continues: Bool
    /// The zone of its file, when that names one.
    var timeZone: String?
    var scope = RuleScope()

    /// `when` without `unless`, as one condition.
    var condition: Condition { unless.map { .all([when, .not($0)]) } ?? when }

    var disposes: Bool { actions.contains { $0.isDisposition } }

    func applies(to account: AccountID) -> Bool {
        info.isEnabled && (info.accounts.isEmpty || info.accounts.contains(account))
    }

    var needs: FactNeeds { actions.contains { $0.usesText } ? .text : [] }
}

/// An entry of `protect:`.
struct Protection: Sendable {
    let name: String
    let condition: Condition
    let accounts: [AccountID]
    let timeZone: String?
    /// The rule file that states it, and where.
    let file: String
    let line: Int

    func applies(to account: AccountID) -> Bool { accounts.isEmpty || accounts.contains(account) }
}

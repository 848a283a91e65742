import Models

/// One rule, checked and ready.
struct CompiledRule: Sendable {
    var info: RuleInfo
    var when: Condition
    var unless: Condition?
    var actions: [any ActionTemplate]
    var stops: Bool
    var continues: Bool
    /// The time zone of its file, if it names one.
    var timeZone: String?
    var scope = RuleScope()

    /// `when` and `unless` as one condition.
    var condition: Condition { unless.map { .all([when, .not($0)]) } ?? when }

    var disposes: Bool { actions.contains(where: \.isDisposition) }
    var keeps: Bool { actions.contains { $0 is KeepAction } }

    func applies(to account: AccountID) -> Bool {
        info.isEnabled && (info.accounts.isEmpty || info.accounts.contains(account))
    }

    /// The facts that its actions need.
    var needs: FactNeeds {
        actions.reduce(into: []) { needs, action in
            needs.formUnion(action.needs)
            if action.usesText { needs.insert(.text) }
        }
    }
}

/// An entry of `protect:`.
struct Protection: Sendable {
    let name: String
    let condition: Condition
    let accounts: [AccountID]
    let timeZone: String?
    /// The rule file that contains it, and the position.
    let file: String
    let line: Int

    func applies(to account: AccountID) -> Bool { accounts.isEmpty || accounts.contains(account) }
}

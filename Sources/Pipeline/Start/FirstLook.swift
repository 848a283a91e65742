import MailStore
public import Models
public import Rules

/// The first look at an account: its mailboxes, and what each rule would do with the inbox. Changes nothing.
public struct FirstLook: Sendable {
    public struct RuleNumber: Sendable {
        public var rule: String
        /// The number of messages on which the rule would act.
        public var messages: Int
        /// The actions, such as `archive` and `label`.
        public var actions: [String]
    }

    public var account: AccountID
    public var mailboxes: [Mailbox]
    public var inbox: Int
    public var plan: Plan
    public var rules: RuleSet
    /// In the order of the rule files.
    public var numbers: [RuleNumber]

    /// Makes a plan with all rules of the workspace for the mail of the last sync.
    public init(_ session: Session, _ account: AccountID) throws {
        let library = try session.rules.library()
        self.account = account
        rules = library.rules
        plan = try session.triage.plan(for: account, rules: library, limit: nil)
        mailboxes = try session.store.sync.mailboxes(of: account)
        inbox = plan.items.count
        var found: [String: (messages: Int, actions: Set<String>)] = [:]
        for item in plan.items {
            for (rule, decisions) in Dictionary(grouping: item.decisions, by: \.rule) {
                let names = decisions.map(\.action).filter { $0 != .keep }.map(\.name.rawValue)
                guard !names.isEmpty else { continue }
                found[rule, default: (0, [])].messages += 1
                found[rule, default: (0, [])].actions.formUnion(names)
            }
        }
        numbers = library.rules.rules.map(\.id).map { id in
            RuleNumber(
                rule: id, messages: found[id]?.messages ?? 0, actions: found[id]?.actions.sorted() ?? [])
        }
    }
}

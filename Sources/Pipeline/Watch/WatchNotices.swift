import Accounts
import MailStore
import Models
import Rules

/// The lines of `notify` in rules for new mail: each message in the inbox is judged once, when it is new.
///
/// Nothing is executed or remembered: `opus run` prints the same line when it applies the rule.
struct WatchNotices {
    private let loader: FactLoader
    private let surroundings: Surroundings
    private let account: Account
    /// The last row of the store at the last check.
    private var last: Int64
    /// Mail of a first sync is not reported.
    private var isFirst: Bool

    /// Messages that are already in the store are not reported.
    init(loader: FactLoader, surroundings: Surroundings, _ account: Account) throws {
        self.loader = loader
        self.surroundings = surroundings
        self.account = account
        last = try loader.store.messages.lastRow()
        let inbox = try loader.store.sync.mailboxes(of: account.id).first { $0.role == .inbox }
        isFirst =
            try inbox.flatMap { try loader.store.sync.syncState(of: account.id, mailbox: $0.name)?.syncedAt }
            == nil
    }

    /// Messages in the inbox that were stored since the last check.
    mutating func arrivals() throws -> [EmailID] {
        let (ids, last) = try loader.store.messages.arrivals(after: last, role: .inbox, account: account.id)
        self.last = last
        return ids
    }

    /// The lines for mail since the last check. Rules with errors give no lines: `opus run` reports the
    /// errors.
    mutating func news() throws -> [String] { try news(of: arrivals(), nil) }

    /// `rules`: those in force; nil: those on disk.
    mutating func news(of new: [EmailID], _ rules: RuleLibrary?) throws -> [String] {
        defer { isFirst = false }
        guard !new.isEmpty, !isFirst else { return [] }
        let library = rules ?? RuleLibrary.load(surroundings.workspace)
        guard library.errors.isEmpty, library.rules.tells else { return [] }
        let needs = library.rules.needs
        let facts = try loader.facts(.ids(new), needs: needs).filter { $0.mailbox.role == .inbox }
        // Not remembered, but another command may have applied the rule since the mail arrived.
        let context = try surroundings.surrounded(
            surroundings.ruleContext(for: account), for: facts, needs: needs, account: account,
            forRules: true)
        let ids = try loader.store.messages.shortPrefix(of: new)
        return facts.sorted { $0.received < $1.received }.flatMap { message in
            library.rules.evaluate(message, in: context).decisions.compactMap { decision in
                guard case .tell(.notify(let text)) = decision.action else { return nil }
                return "\(text)  (opus show \(ids[message.id] ?? message.id.rawValue))"
            }
        }
    }
}

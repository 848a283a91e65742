import Accounts
import MailStore
import Models
import Rules

/// The lines of `notify` in rules for mail as it comes: each message of the inbox is judged once, when it is new.
///
/// Nothing is carried out and nothing remembered: `opus run` tells the same line when it applies the rule.
struct WatchNotices {
    private let loader: FactLoader
    private let surroundings: Surroundings
    private let account: Account
    /// The last row of the store at the last look.
    private var last: Int64
    /// Mail of a first sync is not news.
    private var isFirst: Bool

    /// What the store has now is not reported.
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

    /// Messages of the inbox that came into the store since the last look.
    mutating func arrivals() throws -> [EmailID] {
        let (ids, last) = try loader.store.messages.arrivals(after: last, role: .inbox, account: account.id)
        self.last = last
        return ids
    }

    /// The lines for what came since the last look. Rules with errors give no lines here: `opus run` reports the
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
        // Nothing is remembered: another command may have applied the rule since the mail came.
        let context = try surroundings.surrounded(
            surroundings.ruleContext(for: account), for: facts, needs: needs, account: account)
        let ids = try loader.store.messages.shortPrefix(of: new)
        return facts.sorted { $0.received < $1.received }.flatMap { message in
            library.rules.evaluate(message, in: context).decisions.compactMap { decision in
                guard case .tell(.notify(let text)) = decision.action else { return nil }
                return "\(text)  (opus show \(ids[message.id] ?? message.id.rawValue))"
            }
        }
    }
}

public import Models
import YAMLSource

/// All checked rules of a workspace, for triage, `explain` and `rules test`.
public struct RuleSet: Sendable {
    /// A rule file, with its name as the user would type it.
    public struct Source: Sendable {
        public let file: String
        public let text: String

        public init(file: String, text: String) {
            self.file = file
            self.text = text
        }
    }

    /// An entry of `rules:`: one rule, or a group whose first matching rule acts.
    enum Entry: Sendable {
        case rule(Int)
        case choose([Int])
    }

    var compiled: [CompiledRule] = []
    var entries: [Entry] = []
    var protections: [Protection] = []
    var tables = RuleTables()
    var tests: [RuleTest] = []
    var mailboxUses: [MailboxUse] = []
    /// Mailboxes that rules name in `in:` and `mailboxes:`.
    var mailboxesAsked: [MailboxUse] = []
    public internal(set) var fileCount = 0

    init() {}

    /// Removes the actions of all rules: they can still be counted and listed.
    mutating func disarm() {
        entries = []
        protections = []
        tables = RuleTables()
    }

    /// A rule set without rules: every message is kept.
    public static let empty = RuleSet()

    public var ruleCount: Int { compiled.count }
    public var testCount: Int { tests.count }
    /// In file order.
    public var rules: [RuleInfo] { compiled.map(\.info) }

    /// The facts that any rule needs.
    public var needs: FactNeeds {
        var result: FactNeeds = []
        for rule in compiled where rule.info.isEnabled {
            result.formUnion(tables.needs(of: rule.condition))
            result.formUnion(rule.needs)
        }
        for protection in protections { result.formUnion(tables.needs(of: protection.condition)) }
        return result
    }

    /// The header fields that any rule uses, in lower case; nil: all fields, because a rule replies or
    /// forwards. The fields with which messages refer to each other are always included.
    public var headerNames: Set<String>? {
        var names: Set<String> = ["references", "in-reply-to"]
        for rule in compiled where rule.info.isEnabled {
            guard !rule.actions.contains(where: { $0.needs.contains(.headers) }) else { return nil }
            names.formUnion(tables.headerNames(of: rule.condition))
        }
        for protection in protections { names.formUnion(tables.headerNames(of: protection.condition)) }
        return names
    }

    /// Those of these mailboxes that rules name, in addition to the inbox.
    public func triagedMailboxes(among mailboxes: [Mailbox]) -> [Mailbox] {
        let scopes = compiled.filter { $0.info.isEnabled && !$0.scope.mailboxes.isEmpty }.map(\.scope)
        guard !scopes.isEmpty else { return [] }
        let plain = mailboxes.namesForPeople
        return mailboxes.filter { mailbox in
            let names = [
                mailbox.role?.rawValue, mailbox.displayName, mailbox.name.description, plain[mailbox.name],
            ]
            return mailbox.role != .inbox
                && names.contains { name in
                    name.map { name in
                        scopes.contains { $0.matchers(for: mailbox).contains { $0.matches(name) } }
                    } ?? false
                }
        }
    }

    /// Only the rules for named mailboxes: rules for the inbox do not apply there.
    public var forNamedMailboxes: RuleSet {
        var set = self
        for index in set.compiled.indices where set.compiled[index].scope.mailboxes.isEmpty {
            set.compiled[index].info = set.compiled[index].info.disabled
        }
        return set
    }

    /// The ids of rules with timers.
    public var timedRules: [String] { compiled.filter { $0.scope.schedule != nil }.map(\.info.id) }

    /// The ids of rules that answer by themselves and are in force for the account, whatever the mail.
    public func answeringRules(of account: AccountID, at now: Timestamp, timeZone: String) -> Set<String> {
        let rules = compiled.filter { rule in
            guard rule.applies(to: account), rule.actions.contains(where: { $0.name == .vacation }) else {
                return false
            }
            let zone = Zone(rule.timeZone ?? timeZone) ?? .utc
            return rule.scope.expires.map { zone.local(now).date <= $0 } ?? true
        }
        return Set(rules.map(\.info.id))
    }

    /// A mailbox that a rule names.
    struct MailboxUse: Sendable {
        /// nil: a rule asks for it in a condition or as its scope.
        var rule: String?
        let name: String
        let accounts: [AccountID]
        let diagnostic: Diagnostic
        /// The rule creates it if it is missing.
        var isMade = false
    }

    /// The rules that put mail into a mailbox that the account does not have, so that they keep it.
    public func rulesWithoutPlace(among mailboxes: [Mailbox]) -> Set<String> {
        let context = RuleContext(now: Timestamp(seconds: 0), timeZone: "UTC", mailboxes: mailboxes)
        let missing = mailboxUses.filter { !$0.isMade && context.mailbox(named: $0.name) == nil }
        return Set(missing.compactMap(\.rule))
    }

    /// Warnings for mailboxes that rules name and that no account has.
    ///
    /// Separate from compiling, because it needs the mailboxes of the accounts.
    public func checkMailboxes(against mailboxes: [Mailbox]) -> [Diagnostic] {
        func missing(_ uses: [MailboxUse], where isThere: (String, [Mailbox]) -> Bool) -> [Diagnostic] {
            uses.compactMap { use in
                let candidates = mailboxes.filter {
                    use.accounts.isEmpty || use.accounts.contains($0.account)
                }
                guard !isThere(use.name, candidates) else { return nil }
                var diagnostic = use.diagnostic
                diagnostic.suggestion =
                    nearest(to: use.name, among: candidates.map(\.displayName))
                    .map { "did you mean '\($0)'?" }
                return diagnostic
            }
        }
        return missing(mailboxUses.filter { !$0.isMade }) { name, candidates in
            let context = RuleContext(now: Timestamp(seconds: 0), timeZone: "UTC", mailboxes: candidates)
            return context.mailbox(named: name) != nil
        }
            + missing(mailboxesAsked) { name, candidates in
                // A rule may name a role before its mailbox is created.
                MailboxRole(rawValue: name.folded) != nil
                    || candidates.contains {
                        [$0.displayName, $0.name.description, $0.plainName].map(\.folded).contains(
                            name.folded)
                    }
            }
    }
}

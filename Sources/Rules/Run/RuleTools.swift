public import Models

/// Queries on a rule set for the rule tools.
extension RuleSet {
    /// The number of tests that expect each rule.
    public var testCounts: [String: Int] {
        var counts: [String: Int] = [:]
        for test in tests {
            for case .rule(let id?) in test.expected { counts[id, default: 0] += 1 }
        }
        return counts
    }

    /// Whether matches of the rule are permanently recorded in the journal or the store; `keep` and a line in
    /// a report are not.
    public func leavesTraces(_ rule: String) -> Bool {
        guard let rule = compiled.first(where: { $0.info.id == rule }) else { return false }
        return rule.actions.contains { $0.acts && $0.name != .vacation }
    }

    /// Whether the rule changes mail or tasks: a rule that only keeps or notifies leaves no step in the
    /// journal. A deleted rule counts as one that acts.
    public func acts(_ rule: String) -> Bool {
        guard let rule = compiled.first(where: { $0.info.id == rule }) else { return true }
        return rule.actions.contains(where: \.acts)
    }

    /// The ids of the rules that `opus watch` applies to new mail.
    public var autoRules: Set<String> {
        Set(compiled.lazy.map(\.info).filter { $0.isEnabled && $0.isAuto }.map(\.id))
    }

    /// When each of these rules with a timer is next due.
    public func nextTimes(of rules: Set<String>, after now: Timestamp, timeZone: String) -> [Timestamp] {
        compiled.compactMap { rule in
            guard rule.info.isEnabled, rules.contains(rule.info.id), let schedule = rule.scope.schedule,
                let zone = Zone(rule.timeZone ?? timeZone)
            else { return nil }
            return schedule.next(after: now, zone: zone)
        }
    }

    /// Whether any rule has the action `notify`.
    public var tells: Bool {
        compiled.contains { rule in
            rule.info.isEnabled && rule.actions.contains { $0.name == .notify }
        }
    }

    /// The context with a mailbox for every name to which a rule moves: shows the decisions of rules whether
    /// or not the mailbox exists.
    public func havingMailboxes(_ context: RuleContext, account: AccountID) -> RuleContext {
        var context = context
        for use in mailboxUses where context.mailbox(named: use.name) == nil {
            context.mailboxes.append(
                Mailbox(account: account, name: MailboxName(use.name), displayName: use.name))
        }
        return context
    }
}

extension RuleSet {
    /// The changing facts that any rule or protection uses.
    public var changingFacts: ChangingFacts {
        var facts: ChangingFacts = []
        for rule in compiled where rule.info.isEnabled {
            facts.formUnion(tables.changingFacts(of: rule.condition))
        }
        for protection in protections { facts.formUnion(tables.changingFacts(of: protection.condition)) }
        return facts
    }
}

extension RuleSet {
    /// The ids of the rules that match a message when it arrives, or when a later message of its conversation arrives. Other
    /// rules may match at any time, because they ask about the clock, marks or tasks.
    public var rulesOfArrival: Set<String> {
        Set(
            compiled.filter { $0.scope.schedule == nil && tables.isKnownAtArrival($0.condition) }.map(
                \.info.id))
    }
}

extension ActionTemplate {
    /// Whether it leaves a step in the journal.
    fileprivate var acts: Bool { name != .keep && name.family != .tell }
}

extension Query {
    /// Whether it uses the mailbox of a message.
    public var asksMailbox: Bool {
        tables.tests(of: condition).contains { test in
            if case .mailbox = test.kind { true } else { false }
        }
    }

    /// Whether it uses the addresses to which the user has written.
    public var asksKnown: Bool {
        tables.tests(of: condition).contains { test in
            if case .address(_, .known) = test.kind { true } else { false }
        }
    }
}

/// The entries of a list of addresses, prepared for comparison with senders.
public struct ListEntries: Sendable {
    private var list = AddressList()

    /// Invalid entries are left out.
    public init(_ entries: [String]) {
        for entry in entries { _ = list.add(entry) }
    }

    public func contains(_ address: EmailAddress) -> Bool {
        list.contains(address: FoldedText(address.comparable), domain: address.domain.folded)
    }

    /// Whether one entry is this address, and not only its domain or a pattern.
    public func names(_ address: EmailAddress) -> Bool {
        list.addresses.contains(FoldedText(address.comparable))
    }
}

/// One entry of a list.
public enum ListEntry {
    /// Whether it is a valid entry: `ana@x.org`, `@x.org` or `x.org`, `*@x.org`.
    public static func isValid(_ text: String) -> Bool {
        var list = AddressList()
        return list.add(text)
    }

    /// Entries with the same meaning have equal values.
    public static func comparable(_ text: String) -> String {
        let folded = text.trimmingBlanks().folded
        return !folded.contains("@") && !folded.contains("*") ? "@" + folded : folded
    }
}

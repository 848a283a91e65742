import Models
import YAMLSource

/// Findings about rules that hide each other, or themselves, based on how the conditions are written.
///
/// A rule whose conditions are a subset of those of a later rule matches everything that the later rule would
/// match.
extension Lints {
    /// Larger rule sets are not compared pairwise.
    static let mostCompared = 1_000

    func checkCover() {
        guard rules.compiled.count <= Self.mostCompared else { return }
        let written = rules.compiled.map { Set(Self.conjuncts($0.when)) }
        let groups = rules.groups
        for (index, rule) in rules.compiled.enumerated() {
            let place = definitions.rules[index]
            if let clash = Self.clash(written[index]) {
                place.report.warning(
                    "R087", place.node,
                    "'\(rule.info.id)' can never match: \(clash.0) and \(clash.1) exclude each other")
                continue
            }
            let earlier = rules.compiled.indices.prefix(index).first { other in
                written[other].isSubset(of: written[index]) && covers(rules.compiled[other], rule)
            }
            guard let earlier else { continue }
            let isSameGroup = groups[earlier] != nil && groups[earlier] == groups[index]
            tell(rules.compiled[earlier], rule, isSameGroup, at: place)
        }
    }

    private func tell(
        _ first: CompiledRule, _ rule: CompiledRule, _ isSameGroup: Bool, at place: Definitions.Place
    ) {
        let other = "'\(first.info.id)' (\(first.info.file):\(first.info.line))"
        if isSameGroup || first.stops || (first.disposes && !first.continues) {
            place.report.warning(
                "R080", place.node,
                "'\(rule.info.id)' is never reached: \(other) already takes all mail that it would match")
        } else if first.disposes, rule.disposes {
            place.report.warning(
                "R086", place.node,
                "'\(rule.info.id)' never decides where a message goes: \(other) has decided before")
        }
    }

    /// Whether the first rule matches all messages of the second, judging only by its conditions.
    private func covers(_ first: CompiledRule, _ second: CompiledRule) -> Bool {
        // A rule that matches every message has its own finding.
        if case .always = first.when { return false }
        let accounts = first.info.accounts
        let hasAccounts =
            accounts.isEmpty
            || (!second.info.accounts.isEmpty && Set(second.info.accounts).isSubset(of: accounts))
        let scope = first.scope
        // A rule with mailboxes of its own is about other mail.
        guard scope.mailboxes.isEmpty, second.scope.mailboxes.isEmpty, scope.expires == nil,
            scope.schedule == nil
        else { return false }
        return first.info.isEnabled && first.unless == nil && hasAccounts && first.timeZone == second.timeZone
    }

    /// The conditions that must all match, as queries.
    static func conjuncts(_ condition: Condition) -> [String] {
        switch condition {
        case .all(let branches): branches.children.flatMap { conjuncts($0) }
        case .always, .any, .not, .test: [condition.query]
        }
    }

    static func clash(_ written: Set<String>) -> (String, String)? {
        if let term = written.sorted().first(where: { written.contains("-" + $0) }) {
            return (term, "-" + term)
        }
        return written.contains("is:read") && written.contains("is:unread") ? ("is:read", "is:unread") : nil
    }

    // MARK: Loops

    /// Mail that is forwarded to one of the user's own addresses comes back.
    func checkLoops(own: Set<String>) {
        for rule in rules.compiled {
            for action in rule.actions {
                guard let to = action.fixedRecipient, own.contains(to.comparable),
                    let place = definitions.rules.first(where: { $0.name == rule.info.id })
                else { continue }
                place.report.warning(
                    "R085", place.node,
                    "'\(rule.info.id)' forwards mail to \(to.addrSpec), which is your own address: it would come back"
                )
            }
        }
    }
}

public import Models
public import Rules

extension Plan {
    /// Turns mails that exceed the limits on sending into drafts; the oldest messages are sent first.
    ///
    /// Call it on the plan as it will be executed: items that were removed do not use the allowance. The
    /// plans of one command share one allowance.
    public mutating func keep(within allowance: inout SendAllowance) {
        let byAge = decided.sorted { (items[$0].date, $1) < (items[$1].date, $0) }
        for index in byAge {
            for place in items[index].decisions.indices {
                let decision = items[index].decisions[place]
                guard case .make(let make) = decision.action, let recipients = decision.action.sentTo,
                    let reason = allowance.take(recipients)
                else { continue }
                items[index].decisions[place].action = .make(make.asDraft)
                items[index].warnings.append(
                    "rule \(decision.rule) makes a draft instead of sending: \(reason)")
            }
        }
    }
}

extension Action {
    /// The recipients of mail that is sent at once, in lower case; nil: it sends nothing.
    var sentTo: [String]? {
        guard case .make(let make) = self, let mail = make.mail, mail.sending == .now else { return nil }
        return mail.to.map(\.comparable)
    }
}

extension [String] {
    /// Removes the warning that the rule makes a draft instead of sending, because it makes nothing.
    public mutating func removeDraftWarning(of rule: String) {
        removeAll { $0.hasPrefix("rule \(rule) makes a draft instead of sending") }
    }

    /// Removes the warnings about the dates of the rule's task, because it makes none.
    mutating func removeDateWarnings(of rule: String) {
        removeAll { warning in
            ["found no due date in", "found no start in"].contains { warning.hasPrefix("rule \(rule) \($0)") }
        }
    }

    /// The warnings that rules make drafts instead of sending, each once.
    public var draftWarnings: [String] {
        var seen: Set<String> = []
        return filter { $0.contains(" makes a draft instead of sending") && seen.insert($0).inserted }
    }
}

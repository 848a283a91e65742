public import Models
public import Rules

extension Plan {
    /// Mails beyond the caps that rules would send become drafts; the oldest messages are served first.
    ///
    /// For the plan as it will be carried out: what is left out of it does not use the allowance, and the plans of one
    /// command share one.
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
    /// To whom it sends at once, lower case; nil: it sends nothing.
    var sentTo: [String]? {
        guard case .make(let make) = self, let mail = make.mail, mail.sending == .now else { return nil }
        return mail.to.map(\.comparable)
    }
}

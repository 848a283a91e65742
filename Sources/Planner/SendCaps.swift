public import Models
public import Rules

extension Plan {
    /// What rules would send beyond the caps becomes drafts, the oldest mail first served.
    ///
    /// For the plan as it will be carried out: what is left out of it takes nothing of the allowance, and the plans of one
    /// command share one.
    public mutating func keep(within allowance: inout SendAllowance) {
        let byAge = items.indices.sorted { (items[$0].date, $1) < (items[$1].date, $0) }
        for index in byAge {
            for place in items[index].decisions.indices {
                let decision = items[index].decisions[place]
                guard let recipients = decision.action.sentTo, let reason = allowance.take(recipients) else {
                    continue
                }
                items[index].decisions[place].action = decision.action.asDraft
                items[index].warnings.append(
                    "rule \(decision.rule) makes a draft instead of sending: \(reason)")
            }
        }
    }
}

extension Action {
    /// To whom it sends at once, lower case; nil: it sends nothing.
    var sentTo: [String]? {
        switch self {
        case .delegate(let delegation) where delegation.sending == .now: [delegation.to.comparable]
        case .vacation(let reply) where reply.sending == .now: [reply.to.comparable]
        case .letter(let letter) where letter.sending == .now: letter.to.map(\.comparable)
        case .keep, .archive, .trash, .junk, .move, .deferUntil, .label, .unlabel, .flag, .unflag, .mark,
            .task, .delegate, .vacation, .letter, .waiting, .notify, .unsubscribe, .saveFiles:
            nil
        }
    }

    fileprivate var asDraft: Action {
        switch self {
        case .delegate(var delegation):
            delegation.sending = .draft
            return .delegate(delegation)
        case .vacation(var reply):
            reply.sending = .draft
            return .vacation(reply)
        case .letter(var letter):
            letter.sending = .draft
            return .letter(letter)
        case .keep, .archive, .trash, .junk, .move, .deferUntil, .label, .unlabel, .flag, .unflag, .mark,
            .task, .waiting, .notify, .unsubscribe, .saveFiles:
            return self
        }
    }
}

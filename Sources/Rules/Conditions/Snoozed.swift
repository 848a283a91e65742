import Models

/// Conditions on the deferral of a message.
extension ConditionEntry {
    static let isSnoozed = ConditionEntry(
        "is:snoozed", "state", .state(.snoozed), "deferred: it comes back later, or someday", "is:snoozed")

    static let isBack = ConditionEntry(
        "is:back", "state", .state(.back), "was deferred, is back in the inbox, and is not opened yet",
        "is:back")
}

extension State {
    static let snoozed = State(
        name: "is:snoozed", rank: 3, holds: { Truth($0.facts.mailbox.role == .deferred) },
        seen: { $0.facts.mailbox.role == .deferred ? "deferred" : "not deferred" })

    static let back = State(
        name: "is:back", needs: .returns, changing: .marks,
        holds: { sight in
            guard sight.isUnreadInInbox else { return .no }
            return Truth(sight.context.returned.map { $0.contains(sight.facts.id) })
        },
        seen: { sight in
            guard let returned = sight.context.returned else { return "opus did not look for deferrals" }
            guard returned.contains(sight.facts.id) else { return "was not deferred" }
            return sight.isUnreadInInbox ? "back, and not opened" : "came back, and was opened or moved"
        })
}

extension MessageSight {
    fileprivate var isUnreadInInbox: Bool {
        facts.mailbox.role == .inbox && !facts.flags.contains(.seen)
    }
}

import Models

/// Conditions on the flags of a message.
extension ConditionEntry {
    static let isUnread = ConditionEntry("is:unread", "state", .state(.unread), "not read yet", "is:unread")

    static let isRead = ConditionEntry("is:read", "state", .state(.read), "read", "is:read")

    static let isFlagged = ConditionEntry(
        "is:flagged", "state", .state(.flagged), "flagged, starred", "is:flagged")

    static let isAnswered = ConditionEntry(
        "is:answered", "state", .state(.answered), "answered", "is:answered")

    static let isDraft = ConditionEntry("is:draft", "state", .state(.draft), "a draft", "is:draft")
}

extension State {
    static let unread = State(
        name: "is:unread", changing: .marks, rank: 4, sieve: .yes,
        holds: { Truth(!$0.facts.flags.contains(.seen)) }, seen: { $0.seenRead })

    static let read = State(
        name: "is:read", changing: .marks, rank: 4, sieve: .no,
        holds: { Truth($0.facts.flags.contains(.seen)) }, seen: { $0.seenRead })

    static let flagged = flag("is:flagged", .flagged, yes: "flagged", no: "not flagged")
    static let answered = flag("is:answered", .answered, yes: "answered", no: "not answered")
    static let draft = flag("is:draft", .draft, yes: "a draft", no: "not a draft")

    private static func flag(_ name: String, _ flag: Flag, yes: String, no: String) -> State {
        State(
            name: name, changing: .marks, rank: 3, sieve: SieveCondition.no,
            holds: { Truth($0.facts.flags.contains(flag)) },
            seen: { $0.facts.flags.contains(flag) ? yes : no })
    }
}

extension MessageSight {
    fileprivate var seenRead: String { facts.flags.contains(.seen) ? "read" : "unread" }
}

import Models

/// Conditions on the conversation of a message.
extension ConditionEntry {
    static let threadSize = ConditionEntry(
        "thread:size", "thread", .amount(.threadSize), "messages of its conversation", "thread:size>5")

    static let threadUnanswered = ConditionEntry(
        "thread:unanswered", "thread", .state(.threadUnanswered),
        "they wrote last", "thread:unanswered")

    static let threadIReplied = ConditionEntry(
        "thread:i-replied", "thread", .state(.threadReplied), "you have written in it", "thread:i-replied")

    static let threadWaitingFor = ConditionEntry(
        "thread:waiting-for", "thread", .state(.threadWaiting), "you wrote last",
        "thread:waiting-for")

    static let threadHas = ConditionEntry(
        "thread:has", "thread", .thread, "one of its messages matches", "thread:has(from:bob has:pdf)")
}

extension State {
    static let threadUnanswered = State(
        name: "thread:unanswered", needs: .thread, changing: .thread,
        holds: { $0.ifConversation(last: false) }, seen: { $0.seenThread })

    static let threadReplied = State(
        name: "thread:i-replied", needs: .thread, changing: .thread, holds: { Truth($0.hasOwnMessage) },
        seen: { $0.seenThread })

    static let threadWaiting = State(
        name: "thread:waiting-for", needs: .thread, changing: .thread,
        holds: { $0.ifConversation(last: true) }, seen: { $0.seenThread })
}

extension Amount {
    static let threadSize = Amount(
        unit: .count, needs: .thread, changing: .thread, values: { sight in sight.threadSize.map { [$0] } },
        seen: { $0.threadSize.map { counted($0, "message") } ?? "the conversation was not read" })
}

extension MessageSight {
    /// Whether the user wrote last, or whether another person did.
    fileprivate func ifConversation(last isOwn: Bool) -> Truth {
        hasConversation ? Truth(lastMessageIsOwn == isOwn) : .unknown
    }

    fileprivate var seenThread: String {
        guard hasConversation else { return "the conversation was not read" }
        let last = lastMessageIsOwn == false ? "they wrote last" : "you wrote last"
        return hasOwnMessage == true ? last : last + ", and you wrote none"
    }
}

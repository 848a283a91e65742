import Models

/// The messages of one conversation, for `thread:` conditions.
///
/// Drafts are left out, because they were not sent. If the conversation was not loaded, everything is nil or
/// unknown.
final class Conversation {
    private let view: FactsView
    /// Oldest first.
    private let messages: [MessageFacts]?
    /// The messages that had arrived at the time.
    private lazy var arrived = messages?.filter { !view.context.notYet.contains($0.id) }
    private lazy var views = arrived?.map { facts in
        FactsView(facts, surface: view.surface)
    }
    private var answers: [String: Truth] = [:]

    init(_ view: FactsView) {
        self.view = view
        let now = view.context.senderArrivals == nil ? nil : view.context.now
        messages = view.context.threads[view.facts.thread].map { all in
            all.filter { message in
                !message.flags.contains(.draft) && message.mailbox.role != .drafts
                    && (now.map { message.received <= $0 } ?? true)
            }
            .sorted { ($0.date, $0.id) < ($1.date, $1.id) }
        }
    }

    var size: Int? { arrived?.count }

    /// Whether the user wrote any of its messages.
    var hasOwn: Bool? { messages?.contains { isOwn($0) } }

    /// Whether the user wrote last; also nil if it has no messages.
    var lastIsOwn: Bool? { messages?.last.map { isOwn($0) } }

    var isKnown: Bool { messages != nil }

    /// Whether any of its messages matches the condition. `key` identifies the condition.
    func has(_ condition: Condition, _ key: String) -> Truth {
        if let known = answers[key] { return known }
        // A definition may refer back to this condition: inside itself, it is false.
        answers[key] = .no
        guard let views else { return .unknown }
        var answer = Truth.no
        for view in views {
            let one = view.judge(condition)
            if one == .yes {
                answer = .yes
                break
            }
            if one == .unknown { answer = .unknown }
        }
        answers[key] = answer
        return answer
    }

    private func isOwn(_ facts: MessageFacts) -> Bool {
        facts.from.contains { view.isMe($0) }
    }
}

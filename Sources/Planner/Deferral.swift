public import Models

/// A message in the mailbox for deferred mail.
public struct DeferredMessage: Sendable {
    public var facts: MessageFacts
    public var until: DeferredUntil
    /// Its places in the mailbox for deferred mail.
    public var places: [MessagePlace]
    /// A new answer arrived in its conversation.
    public var isAnswered: Bool
    /// The user deferred it, and not a rule or the delivery of a bundle.
    public var isByHand: Bool

    public init(
        facts: MessageFacts, until: DeferredUntil, places: [MessagePlace], isAnswered: Bool = false,
        isByHand: Bool = false
    ) {
        self.facts = facts
        self.until = until
        self.places = places
        self.isAnswered = isAnswered
        self.isByHand = isByHand
    }

    public var message: EmailID { facts.id }

    /// Whether it comes back for a reason of its own.
    public func returns(at now: Timestamp) -> Bool { isAnswered || until.isOver(at: now) }
}

/// Steps on deferred mail that neither a rule nor a task requested.
public enum DeferralSteps {
    /// Returns deferred messages to the inbox and marks them as unread: those that are due, those with a new
    /// answer, and with them other deferred messages of their conversations.
    ///
    /// A message that the user deferred brings those along that a command by hand would take along. Any other one brings
    /// only those along that an answer of its writer would wake: a rule may have deferred the mail of a stranger.
    ///
    /// - Parameters:
    ///   - deferred: The deferred messages of the account.
    ///   - company: The recipients of the user's mail in their conversations.
    ///   - context: The account's mailboxes, and the clock of the run.
    /// - Returns: The marks and moves, and the deferrals that have ended.
    public static func returning(
        _ deferred: [DeferredMessage], company: Company = Company(), context: StepContext
    ) -> QueuedWork {
        var work = QueuedWork()
        let due = deferred.filter { $0.returns(at: context.now) }
        let first = Dictionary(
            due.map { Leader($0, at: context.now) }.map { ($0.key, $0) },
            uniquingKeysWith: { first, _ in first })
        let leaders = Dictionary(grouping: first.values, by: \.facts.conversation)
        for message in deferred {
            guard
                message.returns(at: context.now)
                    || leaders[message.facts.conversation]?.contains(where: {
                        $0.takesSubject
                            ? company.joins(message.facts, with: $0.facts)
                            : company.includes(message.facts, with: $0.facts)
                    }) ?? false
            else { continue }
            for place in message.places {
                work.steps += [unread(message, place, context), back(message, place, context)]
                    .compactMap(\.self)
            }
            work.deferrals.append(.init(message: message.message, until: nil))
        }
        return work
    }

    /// A message that may bring others along.
    private struct Leader {
        let facts: MessageFacts
        /// The user deferred it until now.
        let takesSubject: Bool

        init(_ message: DeferredMessage, at now: Timestamp) {
            facts = message.facts
            takesSubject = message.isByHand && message.until.isOver(at: now)
        }

        /// Leaders with the same key bring the same messages along.
        var key: [String] {
            [facts.conversation.rawValue, takesSubject ? "by hand" : ""] + Company.heading(of: facts)
        }
    }

    /// A step that appends the list of deferred messages to their mailbox, or removes an old one. The token
    /// of `context` identifies the run: the same list may be written again after it was removed.
    public static func list(_ kind: Step.Kind, _ context: StepContext) -> Step {
        let target =
            switch kind {
            case .append(to: _, message: _, flags: _, let token): "append " + token.rawValue
            case .remove(let key, let token, versions: _):
                "remove \(token.rawValue) \(Planning.placeText(key))"
            case .createTodo, .updateTodo, .removeTodo, .restoreTodo, .submit, .store, .move, .wait,
                .saveFile,
                .removeFile, .list, .createMailbox,
                .editThreads:
                ""
            }
        return Step(
            idempotencyKey: IdempotencyKey.make(
                account: context.account, message: nil, kind: "list", target: target,
                rule: Step.Cause.deferredList.name, token: context.token),
            message: nil, cause: .deferredList, kind: kind)
    }

    private static func back(
        _ message: DeferredMessage, _ place: MessagePlace, _ context: StepContext
    ) -> Step {
        Planning.moveStep(
            message.message, place.key, to: context.inbox, cause: .deferral, context: context,
            token: token(message, context))
    }

    /// nil: the message is already unread.
    private static func unread(
        _ message: DeferredMessage, _ place: MessagePlace, _ context: StepContext
    ) -> Step? {
        guard place.flags.contains(.seen) else { return nil }
        let kind = Step.Kind.store(
            place.key, addFlags: [], removeFlags: [.seen], addKeywords: [], removeKeywords: [])
        return Step(
            idempotencyKey: IdempotencyKey.make(
                account: context.account, message: message.message, kind: "store",
                target: Planning.placeText(place.key) + " -seen", rule: Step.Cause.deferral.name,
                token: token(message, context)),
            message: message.message, cause: .deferral, kind: kind)
    }

    /// Identifies one deferral: the message may be deferred again from the same place.
    private static func token(_ message: DeferredMessage, _ context: StepContext) -> String {
        switch message.until {
        case .time(let time): time.rfc3339
        case .someday: context.now.rfc3339
        }
    }
}

public import Models

/// A message in the mailbox for deferred mail.
public struct DeferredMessage: Sendable {
    public var facts: MessageFacts
    public var until: DeferredUntil
    /// Its places in the mailbox for deferred mail.
    public var places: [MessagePlace]
    /// A new answer arrived in its conversation.
    public var isAnswered: Bool

    public init(
        facts: MessageFacts, until: DeferredUntil, places: [MessagePlace], isAnswered: Bool = false
    ) {
        self.facts = facts
        self.until = until
        self.places = places
        self.isAnswered = isAnswered
    }

    public var message: EmailID { facts.id }

    /// Whether it comes back for a reason of its own.
    public func returns(at now: Timestamp) -> Bool { isAnswered || until.isOver(at: now) }
}

/// Steps on deferred mail that neither a rule nor a task requested.
public enum DeferralSteps {
    /// Returns deferred messages to the inbox and marks them as unread: those that are due, those with a new
    /// answer, and the other deferred messages of their conversations that the writer of one of these would wake.
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
        let due = deferred.filter { $0.returns(at: context.now) }.map(\.facts)
        // One message for each writer in a conversation.
        let first = Dictionary(due.map { (Writer($0), $0) }, uniquingKeysWith: { first, _ in first })
        let leaders = Dictionary(grouping: first.values, by: \.conversation)
        for message in deferred {
            guard
                message.returns(at: context.now)
                    || leaders[message.facts.conversation]?.contains(where: {
                        company.wakes(message.facts, by: $0)
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

    private struct Writer: Hashable {
        let conversation: ThreadID
        let person: String?

        init(_ message: MessageFacts) {
            conversation = message.conversation
            person = message.from.first?.comparable
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

extension Company {
    /// Whether an answer in the conversation of a deferred message returns it to the inbox.
    ///
    /// The writer of the answer must have taken part in the deferred message, or the user must have written
    /// to them in the conversation: anyone can write `References` into a mail.
    public func wakes(_ deferred: MessageFacts, by answer: MessageFacts) -> Bool {
        guard deferred.conversation == answer.conversation, let writer = answer.from.first else {
            return false
        }
        let people = deferred.from + deferred.sender + deferred.to + deferred.cc
        return people.contains { $0.person == writer.person }
            || wasWrittenTo(writer.comparable, in: deferred.conversation)
            || wasWrittenTo(writer.person, in: deferred.conversation)
    }
}

import Models

/// Combines the judgements on single messages into decisions about a conversation, for one triage.
///
/// A decision that moves a message out of the inbox also moves the older messages of its thread that have no
/// such decision, and never a newer one. A rule makes its task once, for the first message that requests it.
/// ``ArrivalReplay`` does this after each arrival. See docs/decisions/0003-thread-scope.md.
struct ThreadScope {
    let account: AccountID
    /// The rule that made each open task, where the caller knows it.
    let todoRules: [TodoID: String]
    /// The mail of open tasks, where it is not the message that is judged.
    var todoMail: [TodoID: MessageFacts] = [:]
    /// Open delegations without a draft.
    var undelegated: Set<TodoID> = []
    /// The recipients of the user's mail in the conversations.
    let company: Company
    /// The names of messages that are not identified by their `Message-ID`.
    var names = OwnNames()

    struct Member {
        /// Its index in the inbox.
        var index: Int
        var facts: MessageFacts
        var judgement: Judgement
        /// The older messages that move with it, oldest first.
        var takes: [Plan.ThreadMember] = []
        /// Only a `protect` entry keeps it from moving with a newer message.
        var preventsMove = false
    }

    /// The order of arrival. Servers record seconds, so UIDs decide between equal times.
    static func isOlder(_ a: MessageFacts, _ b: MessageFacts) -> Bool {
        (a.received, a.key.mailbox, a.key.uidValidity, a.key.uid)
            < (b.received, b.key.mailbox, b.key.uidValidity, b.key.uid)
    }

    // MARK: Moves

    /// Goes from the newest message to the oldest, and remembers the departures from the same mailbox. A
    /// message that is already in another mailbox stays there when rules judge old mail. An older message
    /// moves with the nearest newer message that can take it along. `thread` is sorted from old to new.
    func cover(_ thread: inout [Member]) {
        var departures: [MailboxName: [Int]] = [:]
        for index in thread.indices.reversed() {
            let member = thread[index]
            if let departure = member.judgement.departure {
                // A rule for second copies does not apply to the first message.
                if case .place(let place) = departure.action, place.takesThread,
                    !member.judgement.isForCopyAlone
                {
                    departures[member.facts.key.mailbox, default: []].append(index)
                }
                continue
            }
            let flags = member.flagsAfterMarks
            let above = departures[member.facts.key.mailbox]?.last {
                company.takes(member.facts, flags: flags, with: thread[$0].facts)
            }
            guard let above else { continue }
            guard member.judgement.protectedBy == nil else {
                thread[index].preventsMove = true
                continue
            }
            // The next triage keeps it again. But a rule whose task it lost is remembered, and no longer keeps it.
            let keeps = member.judgement.decisions.filter { $0.action == .keep }
            guard keeps.isEmpty || member.judgement.lostTask else { continue }
            thread[index].judgement.decisions.removeAll { $0.action == .keep }
            thread[index].judgement.shadowed += keeps
            thread[above].takes.insert(
                Plan.ThreadMember(message: member.facts.id, key: member.facts.key), at: 0)
        }
    }

    // MARK: Tasks

    /// Removes decisions that would make a second task of the same rule for the conversation. A decision that
    /// loses its task moves nothing, because a move must follow its task. It moves the message only if the
    /// existing task is the message's own.
    ///
    /// - Parameters:
    ///   - judged: The messages that this triage judged, oldest first.
    ///   - open: The open tasks of the conversation.
    ///   - made: The tasks among them that this plan makes.
    ///   - names: The names under which messages of the conversation made tasks.
    func makeTasksOnce(
        _ judged: inout [Member], open: Set<TodoID>, made: [TodoID: Made], names: Set<String>
    ) {
        var madeNow: [String: [MessageFacts]] = [:]
        for index in judged.indices {
            let judgement = judged[index].judgement
            guard judgement.decisions.contains(where: { $0.action.makesTask }) else { continue }
            let facts = judged[index].facts
            let open = open.filter { id in
                (todoMail[id] ?? made[id]?.mail).map { shares($0, facts) } ?? true
            }
            var asking: Set<String> = []
            for rule in Set(judgement.decisions.filter { $0.action.makesTask }.map(\.rule)).sorted() {
                let isMadeNow = madeNow[rule, default: []].contains { shares($0, facts) }
                let reason = refusal(rule, facts, open: open, made: made, isMadeNow: isMadeNow, names: names)
                switch reason {
                case nil: asking.insert(rule)
                case .own: judged[index].judgement.skip(rule, Refusal.thread, movesOn: true)
                case .thread, .plan: judged[index].judgement.skip(rule, reason ?? .thread, movesOn: false)
                }
            }
            // A message with the identifier of another message does not belong to that message's
            // conversation.
            guard !self.names.borrowed.contains(facts.id) else { continue }
            for rule in asking { madeNow[rule, default: []].append(facts) }
        }
    }

    /// A task that this plan makes: its rule, and the message.
    struct Made {
        let rule: String
        let mail: MessageFacts
    }

    private func shares(_ mail: MessageFacts, _ other: MessageFacts) -> Bool {
        company.sharesTask(of: mail, with: other, first: names.first[mail.conversation])
    }

    fileprivate enum Refusal {
        /// The message itself already has the task.
        case own
        case thread
        case plan

        var words: String {
            switch self {
            case .own, .thread: "the thread already has its open task"
            case .plan: "an earlier message of the thread gets the task"
            }
        }
    }

    private func refusal(
        _ rule: String, _ facts: MessageFacts, open: Set<TodoID>, made: [TodoID: Made],
        isMadeNow: Bool, names: Set<String>
    ) -> Refusal? {
        if !open.isEmpty, hasTask(rule, of: [name(of: facts)], in: open) {
            return hasTask(rule, of: [name(of: facts)], in: open.intersection(undelegated)) ? nil : .own
        }
        if self.names.borrowed.contains(facts.id) { return nil }
        if isMadeNow || open.contains(where: { made[$0]?.rule == rule }) { return .plan }
        if open.contains(where: { todoRules[$0] == rule }) { return .thread }
        return !open.isEmpty && hasTask(rule, of: names, in: open) ? .thread : nil
    }

    private func hasTask(_ rule: String, of names: Set<String>, in open: Set<TodoID>) -> Bool {
        names.contains { name in
            TodoIdentity.allPurposes.contains { purpose in
                open.contains(
                    TodoIdentity.make(account: account, message: name, rule: rule, purpose: purpose))
            }
        }
    }

    private func name(of facts: MessageFacts) -> String {
        TodoIdentity.name(of: facts.messageID, facts.id, names)
    }

    /// The names under which messages of the thread made tasks: those in the inbox, and those that they refer
    /// to.
    func messageNames(of thread: [MessageFacts]) -> Set<String> {
        var names: Set<String> = []
        for facts in thread {
            names.insert(name(of: facts))
            for field in facts.header("References") + facts.header("In-Reply-To") {
                for piece in field.split(separator: "<").suffix(Self.maximumReferences) {
                    guard let end = piece.firstIndex(of: ">") else { continue }
                    names.insert(String(piece[..<end]))
                }
            }
        }
        return names
    }

    private static let maximumReferences = 100
}

extension ThreadScope.Member {
    /// The flags after the message's own marks, which were set when it arrived.
    fileprivate var flagsAfterMarks: Set<Flag> {
        var (flags, keywords) = (facts.flags, facts.keywords)
        for decision in judgement.decisions { _ = decision.action.mark(&flags, &keywords) }
        return flags
    }
}

extension Judgement {
    /// Removes what a rule makes, and also its move, unless `movesOn`.
    fileprivate mutating func skip(_ rule: String, _ reason: ThreadScope.Refusal, movesOn: Bool) {
        var isHeld = false
        var rest: [Plan.Decision] = []
        for decision in decisions {
            let isMove = decision.action.isDisposition && decision.action != .keep && !movesOn
            guard decision.rule == rule, isMove || decision.action.makesTask else {
                rest.append(decision)
                continue
            }
            shadowed.append(decision)
            if decision.action.makesTask { warnings.removeDateWarnings(of: rule) }
            isHeld = isHeld || isMove
        }
        decisions = rest
        if isHeld {
            decisions.append(Plan.Decision(rule: rule, action: .keep))
            lostTask = true
        }
        let warning =
            "rule \(rule): \(reason.words), so no second task is made"
            + (isHeld ? ", and the message stays" : "")
        if !warnings.contains(warning) { warnings.append(warning) }
    }
}

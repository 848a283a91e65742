import Models
import Rules

/// Judges one conversation as if triage had run after each arrival.
///
/// Each of these triages sees the messages that had arrived by then, with the marks and tasks from earlier
/// triages, and without the messages that these moved out of the inbox. The replay collects their decisions:
/// a rule acts once on a message, and a message moves once. See docs/decisions/0003-thread-scope.md.
struct ArrivalReplay {
    /// Inputs that all conversations of a plan share.
    struct Rules {
        let scope: ThreadScope
        let making: TodoMaking
        let changingFacts: ChangingFacts
        /// Messages whose decisions this plan will not execute: they have no effect on the others.
        var leftOut: Set<EmailID> = []
        /// The rules that match a message when it arrives. An answer ends the deferrals of these rules only: any other deferral
        /// is decided now, after the answer came.
        var rulesOfArrival: Set<String> = []
        /// The destination of a disposition, for rules that depend on the other messages of a conversation.
        var destination: (Action) -> Mailbox? = { _ in nil }
    }

    /// Judges the message with that index in the inbox, as a triage sees it.
    typealias Judge<Failure: Error> = (Int, Sight) throws(Failure) -> Judgement

    private let rules: Rules
    /// Oldest first.
    private var members: [Replayed]
    private let conversation: [MessageFacts]?
    private let positions: [EmailID: Int]
    private let places: [MessageKey: Int]
    private let names: Set<String>
    private let openBefore: Set<TodoID>
    private var made: [TodoID: Todo] = [:]
    private var madeBy: [TodoID: ThreadScope.Made] = [:]

    /// The maximum number of arrivals to replay where rules depend on the whole conversation. Older messages
    /// count as having arrived together.
    private static let mostPoints = 50
    /// With more than a hundred messages, fewer arrivals are replayed: each judges all of them.
    private static let mostJudgements = 5_000

    /// A message while the arrivals are replayed.
    private struct Replayed {
        /// The current facts, and all decisions so far.
        var gathered: ThreadScope.Member
        /// The facts after the previous triages of this plan.
        var facts: MessageFacts
        /// From the last triage that judged it.
        var judgement: Judgement
        var met: Set<RememberedMatch> = []
        var isGone = false
        /// A fact that rules use has changed since the message was judged.
        var isStale = false

        init(_ member: ThreadScope.Member) {
            gathered = member
            facts = member.facts
            judgement = member.judgement
            gathered.judgement = Judgement()
        }
    }

    /// - Parameters:
    ///   - rules: Inputs that are the same for all conversations.
    ///   - members: The messages of one conversation, in any order, with the judgements of their current
    ///     state.
    ///   - conversation: The whole conversation, including messages in other mailboxes; nil: no rule needs
    ///     it.
    init(_ rules: Rules, _ members: [ThreadScope.Member], conversation: [MessageFacts]?) {
        self.rules = rules
        let sorted = members.sorted { ThreadScope.isOlder($0.facts, $1.facts) }
        self.members = sorted.map { Replayed($0) }
        self.conversation = rules.changingFacts.contains(.thread) ? conversation : nil
        positions = Dictionary(
            sorted.enumerated().map { ($1.facts.id, $0) }, uniquingKeysWith: { first, _ in first })
        places = Dictionary(
            sorted.enumerated().map { ($1.facts.key, $0) }, uniquingKeysWith: { first, _ in first })
        let asksTasks = sorted.contains { member in
            member.judgement.decisions.contains { $0.action.makesTask }
        }
        names =
            asksTasks || rules.changingFacts.contains(.thread)
            ? rules.scope.messageNames(of: sorted.map(\.facts)) : []
        openBefore = Set(sorted.flatMap(\.facts.openTodos))
    }

    /// The result for each message, oldest first. `isAnswer`: whether a message can return deferred mail.
    mutating func run<Failure: Error>(
        _ judge: Judge<Failure>, isAnswer: (MessageFacts) throws(Failure) -> Bool
    ) throws(Failure) -> [ThreadScope.Member] {
        let points = min(Self.mostPoints, max(1, Self.mostJudgements / max(1, members.count)))
        let first = conversation == nil ? 0 : max(firstOpenPoint, members.count - points)
        var known = 0
        for point in first..<max(first, members.count) {
            var judged = try look(from: known, to: point, judge)
            known = point + 1
            if try returnDeferred(after: point, isAnswer) {
                let again = try look(from: known, to: point, judge)
                judged = Set(judged + again).sorted()
            }
            decide(judged, upTo: point)
        }
        return members.map { replayed in
            var member = replayed.gathered
            let last = replayed.judgement
            member.judgement.protectedBy = last.protectedBy
            if !replayed.isGone {
                member.judgement.decisions += last.decisions.filter { $0.action == .keep }
            }
            return member
        }
    }

    /// The first message that was not yet judged: a newer message of the conversation has since left the
    /// inbox. No triage ever saw only the earlier messages and the new place of that one, so they are judged
    /// together with the next message.
    private var firstOpenPoint: Int {
        let left = (conversation ?? []).filter { message in
            // Mail that the user wrote did not arrive in the inbox.
            positions[message.id] == nil && message.mailbox.role != .sent && message.mailbox.role != .drafts
        }
        let last = members.lastIndex { member in
            left.contains { Self.cameNoLater(member.facts, $0) }
        }
        return min(last.map { $0 + 1 } ?? 0, max(0, members.count - 1))
    }

    /// UIDs show the order of arrival only within one mailbox.
    private static func cameNoLater(_ message: MessageFacts, _ other: MessageFacts) -> Bool {
        message.key.mailbox == other.key.mailbox
            ? ThreadScope.isOlder(message, other) : message.received <= other.received
    }

    // MARK: Answers

    /// Returns the messages that earlier triages of this plan deferred, if this message is an answer to one of them. Mail that
    /// the rules defer returns nothing. Returns whether anything changed.
    private mutating func returnDeferred<Failure: Error>(
        after point: Int, _ isAnswer: (MessageFacts) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        let answer = members[point]
        let isDeferred = answer.judgement.settled().deferral != nil
        guard answer.facts.mailbox.role == .inbox,
            !isDeferred || rules.leftOut.contains(answer.facts.id)
        else { return false }
        let deferred = (0..<point).filter { isDeferredAtArrival(members[$0]) }
        let away = deferred + deferred.flatMap { taken(with: $0) }
        guard away.contains(where: { rules.scope.company.includes(members[$0].facts, with: answer.facts) }),
            try isAnswer(answer.facts)
        else { return false }
        for position in deferred { comeBack(position) }
        return true
    }

    /// The older messages that this plan moves together with that one.
    private func taken(with position: Int) -> [Int] {
        members[position].gathered.takes.compactMap { places[$0.key] }
    }

    private func isDeferredAtArrival(_ member: Replayed) -> Bool {
        guard member.isGone, !rules.leftOut.contains(member.facts.id),
            let deferral = member.gathered.judgement.deferral
        else { return false }
        return rules.rulesOfArrival.contains(deferral.rule)
    }

    /// Puts a deferred message, and those that moved with it, back into the inbox. Such a message comes back unread.
    private mutating func comeBack(_ position: Int) {
        guard let deferral = members[position].gathered.judgement.deferral else { return }
        var sum = members[position].gathered
        let isEnded = { (decision: Plan.Decision) in
            decision == deferral || decision.action == .mark(read: true)
        }
        sum.judgement.answered += sum.judgement.decisions.filter(isEnded)
        sum.judgement.decisions.removeAll(where: isEnded)
        sum.judgement.warnings.append("rule \(deferral.rule): an answer came, so the message is not deferred")
        let taken = taken(with: position)
        sum.takes = []
        members[position].gathered = sum
        for position in [position] + taken {
            let before = members[position].gathered.facts
            members[position].isGone = false
            members[position].facts.mailbox = before.mailbox
            guard members[position].facts.flags.remove(.seen) != nil else { continue }
            if before.flags.contains(.seen) {
                members[position].gathered.judgement.decisions.append(
                    Plan.Decision(rule: deferral.rule, action: .mark(read: false)))
            }
            if rules.changingFacts.contains(.marks) { members[position].isStale = true }
        }
    }

    // MARK: Judging

    /// Judges new messages, and those whose facts have changed. Returns their positions.
    private mutating func look<Failure: Error>(
        from known: Int, to point: Int, _ judge: Judge<Failure>
    ) throws(Failure) -> [Int] {
        var judged: [Int] = []
        // Nothing in it changes until the triage decides.
        let surroundings = surroundings(at: point)
        for position in 0...point where !members[position].isGone {
            let isNew = position >= known
            guard isNew || members[position].isStale || conversation != nil else { continue }
            if looksAsNow(position) {
                // Judged in its current state: leave out the decisions of earlier triages.
                members[position].judgement = members[position].judgement.without(members[position].met)
            } else {
                let sight = sight(of: position, surroundings)
                members[position].judgement = try judge(members[position].gathered.index, sight)
            }
            members[position].isStale = false
            judged.append(position)
        }
        return judged
    }

    private func looksAsNow(_ position: Int) -> Bool {
        conversation == nil && !members[position].isStale
            && (made.isEmpty || !rules.changingFacts.contains(.tasks))
    }

    /// The conversation as a triage after that arrival sees it; nil: no rule needs it.
    private struct Surroundings {
        var conversation: [MessageFacts]
        var notYet: Set<EmailID>
    }

    private func surroundings(at point: Int) -> Surroundings? {
        guard let conversation else { return nil }
        return Surroundings(
            // Sorted once, as conditions need it.
            conversation: conversation.map(asNow).sorted { ($0.date, $0.id) < ($1.date, $1.id) },
            notYet: Set(members[(point + 1)...].map(\.facts.id)).subtracting(
                members[...point].map(\.facts.id)))
    }

    private func asNow(_ message: MessageFacts) -> MessageFacts {
        var message = message
        if !made.isEmpty { message.openTodos = withMade(message.openTodos) }
        guard let position = positions[message.id] else { return message }
        let now = members[position].facts
        if message.flags != now.flags { message.flags = now.flags }
        if message.keywords != now.keywords { message.keywords = now.keywords }
        if message.mailbox != now.mailbox { message.mailbox = now.mailbox }
        return message
    }

    private func sight(of position: Int, _ surroundings: Surroundings?) -> Sight {
        let member = members[position]
        var sight = Sight(facts: member.facts, made: made, met: member.met)
        sight.facts.openTodos = withMade(member.facts.openTodos)
        guard let surroundings else { return sight }
        sight.notYet = surroundings.notYet
        sight.conversation = surroundings.conversation
        return sight
    }

    private func withMade(_ todos: [TodoID]) -> [TodoID] {
        made.isEmpty ? todos : todos + made.keys.sorted()
    }

    // MARK: Deciding

    private mutating func decide(_ judged: [Int], upTo point: Int) {
        var asking = judged.map { position in
            var member = members[position].gathered
            member.judgement = members[position].judgement.settled()
            if rules.leftOut.contains(member.facts.id) {
                member.judgement.decisions.removeAll { $0.action.makesTask }
            }
            member.takes = []
            return member
        }
        rules.scope.makeTasksOnce(
            &asking, open: openBefore.union(made.keys), made: madeBy, names: names)
        for (position, member) in zip(judged, asking) { members[position].judgement = member.judgement }
        if asking.contains(where: { $0.judgement.departure != nil }) {
            asking = []
            let present = (0...point).filter { !members[$0].isGone }
            var thread = present.map { position in
                var member = members[position].gathered
                member.judgement = members[position].judgement
                // If an earlier decision of this plan marked a message as read, it is no longer unread.
                member.facts.flags = members[position].facts.flags
                member.takes = []
                return member
            }
            rules.scope.cover(&thread)
            for (position, member) in zip(present, thread) { gather(member, at: position) }
            leave(zip(present, thread))
        } else {
            for (position, member) in zip(judged, asking) { gather(member, at: position) }
        }
    }

    /// Adds the decisions of a triage about a message, and updates the facts for the next triage.
    private mutating func gather(_ member: ThreadScope.Member, at position: Int) {
        let judgement = member.judgement
        members[position].judgement = judgement
        var sum = members[position].gathered
        let new = judgement.decisions.filter { $0.action != .keep && !sum.judgement.decisions.contains($0) }
        sum.judgement.decisions += new
        for decision in judgement.shadowed where !sum.judgement.shadowed.contains(decision) {
            sum.judgement.shadowed.append(decision)
        }
        for decision in judgement.answered where !sum.judgement.answered.contains(decision) {
            sum.judgement.answered.append(decision)
        }
        for warning in judgement.warnings where !sum.judgement.warnings.contains(warning) {
            sum.judgement.warnings.append(warning)
        }
        for failure in judgement.failures where !sum.judgement.failures.contains(failure) {
            sum.judgement.failures.append(failure)
        }
        sum.preventsMove = sum.preventsMove || member.preventsMove
        sum.takes += member.takes
        members[position].gathered = sum
        guard !rules.leftOut.contains(member.facts.id) else { return }
        for decision in new {
            members[position].met.insert(RememberedMatch(rule: decision.rule, message: member.facts.id))
        }
        for decision in judgement.shadowed where decision.action.makesTask {
            members[position].met.insert(RememberedMatch(rule: decision.rule, message: member.facts.id))
        }
        make(new, of: member)
        mark(new, at: position)
        // The next triage may not judge the message again, so no decision is left in its judgement.
        members[position].judgement = judgement.without(members[position].met)
    }

    private mutating func make(_ decisions: [Plan.Decision], of member: ThreadScope.Member) {
        let item = Planning.item(member.facts, member.judgement)
        let todos = rules.making.todos(of: decisions, item)
        guard !todos.isEmpty else { return }
        for (todo, rule) in todos {
            made[todo.id] = todo
            // A message with a borrowed identifier belongs to another conversation: its task does not prevent
            // a task of this one.
            if !rules.scope.names.borrowed.contains(member.facts.id) {
                madeBy[todo.id] = ThreadScope.Made(rule: rule, mail: member.facts)
            }
        }
        guard rules.changingFacts.contains(.tasks) else { return }
        for position in members.indices { members[position].isStale = true }
    }

    private mutating func mark(_ decisions: [Plan.Decision], at position: Int) {
        var (flags, keywords) = (members[position].facts.flags, members[position].facts.keywords)
        for decision in decisions { _ = decision.action.mark(&flags, &keywords) }
        guard (flags, keywords) != (members[position].facts.flags, members[position].facts.keywords) else {
            return
        }
        members[position].facts.flags = flags
        members[position].facts.keywords = keywords
        if rules.changingFacts.contains(.marks) { members[position].isStale = true }
    }

    /// Marks messages that leave the inbox: they are not judged again.
    private mutating func leave(_ thread: Zip2Sequence<[Int], [ThreadScope.Member]>) {
        for (position, member) in thread {
            guard let departure = member.judgement.departure else { continue }
            members[position].isGone = true
            guard !rules.leftOut.contains(member.facts.id) else { continue }
            let mailbox = rules.destination(departure.action)
            for position in [position] + member.takes.compactMap({ places[$0.key] }) {
                members[position].isGone = true
                if let mailbox { members[position].facts.mailbox = mailbox }
            }
        }
    }
}

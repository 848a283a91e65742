import Models

/// How the judgements on single messages become what happens to a conversation.
///
/// The principle: **everything happens as if triage had run after each arrival.** So a decision that takes a
/// message out of the inbox takes along the older messages of its thread that had nothing of the kind of
/// their own, and never a newer one; and a rule makes its task once, for the first message that asked for it.
/// See docs/decisions/0003-thread-scope.md.
struct ThreadScope {
    let account: AccountID
    /// Which rule made an open task, where the caller knows it.
    let todoRules: [TodoID: String]
    let company: Company

    struct Member {
        /// Its place in the inbox.
        var index: Int
        var facts: MessageFacts
        var judgement: Judgement
        /// What it takes along, oldest first.
        var takes: [Plan.ThreadMember] = []
        /// Only its protection kept it from going with a newer message.
        var preventsMove = false
    }

    /// The messages of one conversation, in any order; they come back oldest first.
    func apply(to members: [Member]) -> [Member] {
        var thread = members.sorted { Self.isOlder($0.facts, $1.facts) }
        for index in thread.indices { thread[index].judgement = thread[index].judgement.settled() }
        makeTasksOnce(&thread)
        cover(&thread)
        return thread
    }

    /// Order of arrival. The clocks of servers tick in seconds, so UIDs decide between equals.
    static func isOlder(_ a: MessageFacts, _ b: MessageFacts) -> Bool {
        (a.received, a.key.mailbox, a.key.uidValidity, a.key.uid)
            < (b.received, b.key.mailbox, b.key.uidValidity, b.key.uid)
    }

    /// Walks from the newest message down, remembering the departures above in the same mailbox: what was put elsewhere
    /// stays there, when old mail is judged wherever it stands. The nearest that takes a message along has it.
    private func cover(_ thread: inout [Member]) {
        var departures: [MailboxName: [Int]] = [:]
        for index in thread.indices.reversed() {
            let member = thread[index]
            if let departure = member.judgement.departure {
                if Self.takesOthers(departure.action), !member.judgement.isForCopyAlone {
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
            let keeps = member.judgement.decisions.filter { $0.action == .keep }
            thread[index].judgement.decisions.removeAll { $0.action == .keep }
            thread[index].judgement.shadowed += keeps
            thread[above].takes.insert(
                Plan.ThreadMember(message: member.facts.id, key: member.facts.key), at: 0)
        }
    }

    /// A rule for second copies does not mean the first. Trash and junk are for one message: anybody can write `References`
    /// into a mail and so join a thread.
    private static func takesOthers(_ action: Action) -> Bool {
        switch action {
        case .archive, .move, .deferUntil: true
        case .trash, .junk, .keep, .label, .unlabel, .flag, .unflag, .mark, .task, .delegate, .vacation,
            .letter,
            .waiting, .notify, .unsubscribe, .saveFiles:
            false
        }
    }

    // MARK: Tasks

    private func makeTasksOnce(_ thread: inout [Member]) {
        guard thread.contains(where: { $0.judgement.decisions.contains { Self.makesTask($0.action) } }) else {
            return
        }
        let open = Set(thread.flatMap(\.facts.openTodos))
        let ids = messageNames(of: thread)
        var made: Set<String> = []
        for index in thread.indices {
            let decisions = thread[index].judgement.decisions
            var madeHere: Set<String> = []
            thread[index].judgement.decisions = []
            for decision in decisions {
                guard Self.makesTask(decision.action) else {
                    thread[index].judgement.decisions.append(decision)
                    continue
                }
                if hasOpenTask(rule: decision.rule, open: open, names: ids) {
                    thread[index].judgement.skip(decision, "the thread already has its open task")
                } else if made.contains(decision.rule) {
                    thread[index].judgement.skip(decision, "an earlier message of the thread gets the task")
                } else {
                    madeHere.insert(decision.rule)
                    thread[index].judgement.decisions.append(decision)
                }
            }
            made.formUnion(madeHere)
        }
    }

    static func makesTask(_ action: Action) -> Bool {
        switch action {
        case .task, .delegate, .waiting: true
        case .keep, .archive, .trash, .junk, .move, .deferUntil, .label, .unlabel, .flag, .unflag, .mark,
            .vacation, .letter, .notify, .unsubscribe, .saveFiles:
            false
        }
    }

    private func hasOpenTask(rule: String, open: Set<TodoID>, names: Set<String>) -> Bool {
        if open.contains(where: { todoRules[$0] == rule }) { return true }
        guard !open.isEmpty else { return false }
        return names.contains { name in
            TodoIdentity.allPurposes.contains { purpose in
                open.contains(
                    TodoIdentity.make(account: account, message: name, rule: rule, purpose: purpose))
            }
        }
    }

    /// The names under which the thread's messages made tasks: those in the inbox, and those they refer to.
    private func messageNames(of thread: [Member]) -> Set<String> {
        var names: Set<String> = []
        for member in thread {
            names.insert(TodoIdentity.name(of: member.facts.messageID, member.facts.id))
            for field in member.facts.header("References") + member.facts.header("In-Reply-To") {
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
    /// The message's own marks were set when it came.
    fileprivate var flagsAfterMarks: Set<Flag> {
        var (flags, keywords) = (facts.flags, facts.keywords)
        for decision in judgement.decisions { _ = decision.action.mark(&flags, &keywords) }
        return flags
    }
}

extension Judgement {
    fileprivate mutating func skip(_ decision: Plan.Decision, _ reason: String) {
        shadowed.append(decision)
        let warning = "rule \(decision.rule): \(reason), so no second one is made"
        if !warnings.contains(warning) { warnings.append(warning) }
    }
}

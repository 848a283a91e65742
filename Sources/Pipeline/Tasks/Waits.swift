import Accounts
import MIMEParser
import MailStore
public import Models
import Planner
import Rules

/// Reads the waits: the question, when it was sent, and the answers.
public struct Waits: Sendable {
    let workspace: Workspace
    let store: Store
    let loader: FactLoader
    let clock: SessionClock
    let zone: ZoneClock

    /// A wait with its mail.
    struct Reading {
        var wait: Wait
        /// The messages that may be answers.
        var mails: [EmailID: MessageFacts]
        var kinds: [EmailID: AnswerKind]
        /// The sent mail, or the mail of the task; nil: it is not in the store.
        var question: MessageFacts?
        /// The Message-IDs that an answer may name, and their threads.
        var names: Set<MessageID>
        var threads: Set<ThreadID>
    }

    /// The maximum number of messages that a wait finds by person and subject.
    private static let mostGuesses = 20

    /// Whether it waits for a person, or waited until the answer arrived.
    static func mayWait(_ todo: Todo) -> Bool {
        todo.isOpen && (todo.list == .waiting || todo.waitingOn != nil)
    }

    /// The waits among these tasks, over all accounts.
    public func all(_ todos: [Todo]) throws -> [TodoID: Wait] {
        var waits: [TodoID: Wait] = [:]
        for account in workspace.accounts {
            waits.merge(try read(todos, of: account).mapValues(\.wait)) { first, _ in first }
        }
        return waits
    }

    /// Open tasks that wait, or waited, for people, and whose mail is in the account.
    func read(_ todos: some Sequence<Todo>, of account: Account) throws -> [TodoID: Reading] {
        let waiting = todos.filter { Self.mayWait($0) && !$0.askedPeople.isEmpty }
        guard !waiting.isEmpty else { return [:] }
        let links = try store.todos.links(for: waiting.map(\.id))
        var readings: [TodoID: Reading] = [:]
        for todo in waiting {
            let link = links[todo.id]
            guard (link?.account ?? todo.account) == account.id else { continue }
            readings[todo.id] = try read(todo, link, account)
        }
        return readings
    }

    /// The wait of a task that a plan will make; nil: it waits for nothing.
    func wait(of planned: PlannedWait, _ account: Account) throws -> Wait? {
        guard Self.mayWait(planned.todo), !planned.todo.askedPeople.isEmpty else { return nil }
        let link = TodoLink(
            message: planned.mail.message, thread: planned.mail.thread, account: account.id, rule: "")
        return try read(planned.todo, link, account).wait
    }

    private func read(_ todo: Todo, _ link: TodoLink?, _ account: Account) throws -> Reading {
        let own = workspace.own(with: account)
        let departures = Departures(
            store: store, loader: loader, own: workspace.addresses, account: account)
        let question = try departures.question(of: todo, link)
        let todo = redirected(todo, question.mail, own)
        var evidence = WaitEvidence(todo: todo, since: question.since)
        evidence.subject = question.mail?.subject ?? ""
        evidence.questions = question.names
        if let mail = question.mail, isOwn(mail, own) {
            evidence.reached = mail.to + mail.cc
            evidence.answered = try writers(answeredBy: mail, account)
        }
        var mails: [EmailID: MessageFacts] = [:]
        var kinds: [EmailID: AnswerKind] = [:]
        if let since = question.since {
            let thread = try messages(of: question.threads, account)
            for facts in thread where isOwn(facts, own) && !isDraft(facts) && facts.date >= since {
                if let id = facts.messageID { evidence.questions.insert(id) }
                for person in facts.to + facts.cc {
                    let last = evidence.lastWritten[person.mailComparable] ?? since
                    evidence.lastWritten[person.mailComparable] = max(last, facts.date)
                }
            }
            let others = thread.filter { !isOwn($0, own) && !isDraft($0) && $0.id != question.mail?.id }
            let guesses = try guesses(for: todo, evidence, since, besides: Set(thread.map(\.id)), account)
            let elsewhere = try mailElsewhere(naming: evidence.questions, besides: account)
            for (facts, isInThread) in others.map({ ($0, true) }) + guesses.map({ ($0, false) })
                + elsewhere.map({ ($0, false) })
            {
                var (candidate, read) = try candidate(facts, isInThread: isInThread)
                if facts.key.account != account.id {
                    // A delivery report names the returned mail in its content, and is in the thread because of that.
                    if case .bounce = candidate.kind { candidate.isInThread = true }
                    guard candidate.isInThread || !candidate.names.isDisjoint(with: evidence.questions) else {
                        continue
                    }
                }
                evidence.candidates.append(candidate)
                mails[facts.id] = read
                kinds[facts.id] = candidate.kind
            }
        }
        let addresses = Set((workspace.addresses + [account.address]).map(\.mailComparable))
        let wait = Wait(evidence, own: addresses, now: clock.now, timeZone: workspace.timeZone)
        return Reading(
            wait: wait, mails: mails, kinds: kinds, question: question.mail, names: question.names,
            threads: question.threads)
    }

    /// The task as it would be for the people to whom the mail of the delegation was sent: the user may have written it to
    /// others than the rule named.
    private func redirected(_ todo: Todo, _ mail: MessageFacts?, _ own: OwnAddressSet) -> Todo {
        guard todo.delegatedMessageID != nil, !todo.hasOtherContact, let mail, isOwn(mail, own),
            !mail.to.isEmpty
        else {
            return todo
        }
        let reached = Set((mail.to + mail.cc + mail.bcc).map(\.mailComparable))
        guard todo.askedPeople.allSatisfy({ !reached.contains($0.mailComparable) }) else { return todo }
        var redirected = todo
        redirected.waitingOn = mail.to.map(\.addrSpec).joined(separator: ", ")
        redirected.contact = mail.to.map(\.description).joined(separator: ", ")
        return redirected
    }

    /// The writers of the mail that a mail of the user answers. Their Reply-To may be the address of a team, from which they
    /// do not write.
    private func writers(answeredBy mail: MessageFacts, _ account: Account) throws -> [EmailAddress] {
        guard let name = try store.envelope(of: mail.id).inReplyTo.first,
            let answered = try store.messages.message(with: name, account: account.id)
        else { return [] }
        return try store.messages.detail(of: answered)?.from ?? []
    }

    private func messages(of threads: Set<ThreadID>, _ account: Account) throws -> [MessageFacts] {
        guard !threads.isEmpty else { return [] }
        var seen: Set<EmailID> = []
        return try loader.facts(.threads(threads.sorted { $0.rawValue < $1.rawValue }), needs: []).filter {
            $0.key.account == account.id && seen.insert($0.id).inserted
        }
    }

    /// Mail in other accounts, in threads with one of these Message-IDs: a person may answer to another address of the
    /// user.
    private func mailElsewhere(
        naming names: Set<MessageID>, besides account: Account
    ) throws -> [MessageFacts] {
        try workspace.accounts.filter { $0.id != account.id }.flatMap { other -> [MessageFacts] in
            let threads = try store.sync.threads(forIDs: Array(names), account: other.id).values
            let own = workspace.own(with: other)
            return try messages(of: Set(threads), other).filter { !isOwn($0, own) && !isDraft($0) }
        }
    }

    /// Mail of the asked people outside the thread: some programs drop the reference to the question.
    private func guesses(
        for todo: Todo, _ evidence: WaitEvidence, _ since: Timestamp, besides known: Set<EmailID>,
        _ account: Account
    ) throws -> [MessageFacts] {
        let words = PlainSubject.of(evidence.subject).split(separator: " ")
        let subject = words.suffix(12).joined(separator: " ")
        guard !subject.isEmpty else { return [] }
        var ids: Set<EmailID> = []
        for person in todo.askedPeople.flatMap({ [$0] + $0.otherSpellings }) {
            ids.formUnion(
                try store.index.search(
                    [.init(.address, person.addrSpec), .init(.subject, subject)], account: account.id,
                    since: since, limit: Self.mostGuesses))
        }
        ids.subtract(known)
        var seen: Set<EmailID> = []
        let asked = Set(todo.askedPeople.map(\.mailComparable))
        return try loader.facts(.ids(ids.sorted()), needs: []).filter { facts in
            facts.from.contains { asked.contains($0.mailComparable) } && !isDraft(facts)
                && seen.insert(facts.id).inserted
        }
    }

    private func candidate(
        _ facts: MessageFacts, isInThread: Bool
    ) throws -> (WaitEvidence.Candidate, MessageFacts) {
        var facts = facts
        if let content = try loader.contents([facts.id], [.headers, .text], headerNames: nil)[facts.id] {
            facts.take(content)
        }
        let candidate = WaitEvidence.Candidate(
            message: facts.id, messageID: facts.messageID, from: facts.from, subject: facts.subject,
            received: facts.received, names: try store.names(in: facts.id),
            isInThread: isInThread, kind: AnswerKind(of: facts, asOf: zone.local(facts.date).date))
        return (candidate, facts)
    }

    private func isOwn(_ facts: MessageFacts, _ own: OwnAddressSet) -> Bool {
        facts.from.contains { own.contains($0) }
    }

    private func isDraft(_ facts: MessageFacts) -> Bool {
        facts.mailbox.role == .drafts || facts.flags.contains(.draft)
    }
}

import MIMEParser
public import Models
import Rules

/// Judges a wait from the received mail.
///
/// | received mail | meaning |
/// |---|---|
/// | mail of a person who was asked, was in To or Cc, or wrote the mail that the question answers, that refers to the question in `In-Reply-To` or `References` | an answer |
/// | the same without such a field, with the same subject, within 30 days | probably an answer |
/// | an automatic reply of one of them that refers to the question or contains its subject | an absence; if it names a day, the task may start after that day |
/// | a final bounce in the thread that names a person who was asked | the question was not delivered |
/// | a copy of an answer in another account of the user | nothing |
/// | a temporary bounce, a receipt, a calendar message, mail by list software, mail of other people | nothing |
extension Wait {
    /// How long after the question a mail without references may count as an answer, in seconds.
    static let guessing: Int64 = 30 * 86_400

    public init(_ evidence: WaitEvidence, own: Set<String>, now: Timestamp, timeZone: String) {
        let todo = evidence.todo
        self.init(
            asked: todo.askedPeople, since: evidence.since, askAt: Self.askAt(todo, timeZone: timeZone))
        if let since = evidence.since {
            receive(evidence, since, own)
            countDays(since, Zone(timeZone) ?? .utc)
        }
        state = Self.state(of: self, todo, now)
    }

    private mutating func countDays(_ since: Timestamp, _ zone: Zone) {
        let first = zone.local(since).date.daysSinceEpoch
        for index in answers.indices {
            let day = zone.local(answers[index].received).date.daysSinceEpoch
            answers[index].days = Int64(max(0, day - first))
        }
    }

    /// When the user wants to ask again; nil: never. `timeZone`: that of a task without one.
    public static func askAt(_ todo: Todo, timeZone: String) -> Timestamp? {
        let zone = todo.timeZone ?? timeZone
        if let start = todo.start {
            return DatePhrase.instant(of: start, timeZone: zone, secondOfDay: 0)
        }
        return todo.due.flatMap { DatePhrase.instant(of: $0, timeZone: zone, secondOfDay: 86_399) }
    }

    private static func state(of wait: Wait, _ todo: Todo, _ now: Timestamp) -> WaitState {
        guard todo.isOpen else { return .closed }
        guard wait.since != nil else { return .drafted }
        if wait.isAnswered { return .answered }
        if !wait.failures.isEmpty { return .undelivered }
        if let askAt = wait.askAt, askAt <= now { return .overdue }
        return .sent
    }

    // MARK: Received mail

    private mutating func receive(_ evidence: WaitEvidence, _ since: Timestamp, _ own: Set<String>) {
        var people: [String: EmailAddress] = [:]
        for person in evidence.reached + asked where !own.contains(person.mailComparable) {
            people[person.mailComparable] = person
        }
        let written = Set(people.keys).union(evidence.lastWritten.keys)
        for person in evidence.answered where !own.contains(person.mailComparable) {
            people[person.mailComparable] = people[person.mailComparable] ?? person
        }
        // A person may answer from the address without the tag: bob+work@acme.example is also bob@acme.example.
        let bare = Dictionary(people.values.map { ($0.mailPerson, $0) }) {
            $0.comparable < $1.comparable ? $0 : $1
        }
        let subject = PlainSubject.of(evidence.subject)
        let order = evidence.candidates.sorted { ($0.received, $0.message) < ($1.received, $1.message) }
        for mail in order {
            let writer = mail.from.lazy.compactMap { from in
                people[from.mailComparable].map { from.spelled(as: $0) } ?? bare[from.mailPerson]
            }.first
            // A mail that refers to the question was sent after it, whatever the clocks show.
            let namesUs = !mail.names.isDisjoint(with: evidence.questions)
            guard namesUs || mail.received > since else { continue }
            switch mail.kind {
            case .human:
                guard let writer else { continue }
                let isGuess =
                    !namesUs && mail.names.isEmpty && mail.received <= since + Self.guessing
                    && !subject.isEmpty && PlainSubject.of(mail.subject) == subject
                guard namesUs || isGuess, !hasAnswer(mail, of: writer) else { continue }
                answers.append(
                    Answer(
                        message: mail.message, messageID: mail.messageID, from: writer,
                        received: mail.received, isGuess: isGuess))
            case .automaticReply(let returns):
                let isAboutIt = !subject.isEmpty && mail.subject.lowercased().contains(subject)
                guard let writer, namesUs || isAboutIt else { continue }
                absences.append(Absence(message: mail.message, from: writer, until: returns))
            case .bounce(let recipients, isPermanent: true):
                guard namesUs || mail.isInThread else { continue }
                receive(bounce: mail, recipients, evidence.lastWritten, written)
            case .bounce(_, isPermanent: false), .receipt, .calendar, .list: continue
            }
        }
        failures.removeAll { failure in
            failure.recipients.allSatisfy { person in
                answers.contains { $0.from.comparable == person.comparable }
            }
        }
    }

    /// Whether the same mail is an answer already: another account may have a copy.
    private func hasAnswer(_ mail: WaitEvidence.Candidate, of writer: EmailAddress) -> Bool {
        guard let id = mail.messageID else { return false }
        return answers.contains { $0.messageID == id && $0.from.comparable == writer.comparable }
    }

    /// A bounce without a recipient counts for the only person who was asked. So does one that names another address, if
    /// the user wrote to that person only: a server may have forwarded the mail. `written`: to whom the user wrote.
    private mutating func receive(
        bounce mail: WaitEvidence.Candidate, _ recipients: [EmailAddress], _ lastWritten: [String: Timestamp],
        _ written: Set<String>
    ) {
        let failed = Set(recipients.map(\.mailComparable))
        let isForwarded = failed.isDisjoint(with: written) && written.count == 1
        let named =
            (failed.isEmpty || isForwarded) && asked.count == 1
            ? asked : asked.filter { failed.contains($0.mailComparable) }
        let people = named.filter { person in
            lastWritten[person.mailComparable].map { mail.received >= $0 } ?? true
        }
        guard !people.isEmpty else { return }
        failures.append(Failure(message: mail.message, recipients: people, received: mail.received))
    }
}

extension EmailAddress {
    /// The address as the user wrote it, with the name in the mail.
    fileprivate func spelled(as person: EmailAddress) -> EmailAddress {
        person.domain == domain
            ? self
            : EmailAddress(displayName: displayName, localPart: localPart, domain: person.domain)
    }
}

/// How a wait changes its task.
public struct WaitDecision: Hashable, Sendable {
    public enum Outcome: Hashable, Sendable {
        case stays
        /// The task becomes a next action.
        case decide(Wait.Answer)
        case close(Wait.Answer)
    }

    public var outcome = Outcome.stays
    /// The day to ask again, because the recipient is away until then.
    public var start: CalendarDate?
}

extension Wait {
    /// `fresh`: the messages that are not in the task yet. A decision is made only once.
    /// `workdays`: the days on which the user works, where 1 is Monday.
    public func decision(
        for todo: Todo, fresh: Set<EmailID>, now: Timestamp, timeZone: String, workdays: Set<Int>
    ) -> WaitDecision {
        var decision = WaitDecision()
        guard todo.isOpen, todo.list == .waiting else { return decision }
        let new = deciding(fresh)
        if state == .answered, let answer = new.last {
            switch todo.onReply ?? .decide {
            case .decide: decision.outcome = .decide(answer)
            case .close:
                decision.outcome = new.contains(where: \.isGuess) ? .decide(answer) : .close(answer)
            case .keep: break
            }
            return decision
        }
        switch state {
        // If the mail did not reach one person, opus still waits for the others.
        case .sent, .overdue, .undelivered: decision.start = dayAfterAbsence(fresh, now, timeZone, workdays)
        case .drafted, .answered, .closed: break
        }
        return decision
    }

    /// The answers that end the wait now: those that completed it, or, if the user waits again since, only the new ones.
    private func deciding(_ fresh: Set<EmailID>) -> ArraySlice<Answer> {
        let completing = completing
        if completing.contains(where: { fresh.contains($0.message) }) { return completing }
        return answers.filter { fresh.contains($0.message) }[...]
    }

    /// The next business day after the last person has returned; nil if the task already has a later date.
    private func dayAfterAbsence(
        _ fresh: Set<EmailID>, _ now: Timestamp, _ timeZone: String, _ workdays: Set<Int>
    ) -> CalendarDate? {
        let today = (Zone(timeZone) ?? .utc).local(now).date
        let away = absences.filter { absence in
            fresh.contains(absence.message) && missing.contains { $0.comparable == absence.from.comparable }
        }
        let returns = away.compactMap(\.until).filter {
            $0 >= today && $0.daysSinceEpoch <= today.daysSinceEpoch + Self.longestAbsence
        }
        guard let last = returns.max() else { return nil }
        var day = last.adding(days: 1)
        while !workdays.isEmpty, !workdays.contains(day.weekday) { day = day.adding(days: 1) }
        if let askAt, (Zone(timeZone) ?? .utc).local(askAt).date >= day { return nil }
        return day
    }

    /// The absences of people who have not answered.
    public var openAbsences: [Absence] {
        let answered = Set(answers.map(\.from.comparable))
        return absences.filter { !answered.contains($0.from.comparable) }
    }

    /// In days; a later day of return is ignored.
    private static let longestAbsence: Int64 = 366
}

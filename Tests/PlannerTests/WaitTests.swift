import Models
import Testing

@testable import Planner

/// What counts as an answer, and what a wait makes of its task.
@Suite("Waits judged")
struct WaitJudgingTests {
    private static let asked = Timestamp(seconds: 1_773_127_800)
    private static let day: Int64 = 86_400
    private let ann = EmailAddress(displayName: "Ann", localPart: "ann", domain: "acme.example")
    private let bob = EmailAddress(displayName: "Bob Singh", localPart: "bob", domain: "acme.example")
    private let eve = EmailAddress(displayName: "Bob Singh", localPart: "bob", domain: "evil.example")
    private let ours = MessageID("question@acme.example")

    private static func date(_ month: Int, _ day: Int, _ year: Int = 2026) -> CalendarDate {
        CalendarDate(year: year, month: month, day: day) ?? CalendarDate(daysSinceEpoch: 0)
    }

    private static func time(_ days: Int64) -> Timestamp { Timestamp(seconds: asked.seconds + days * day) }

    private func todo(_ waitingOn: String = "bob@acme.example", start: CalendarDate? = nil) -> Todo {
        var todo = Todo(id: TodoID("wait"), list: .waiting, summary: "Waiting for Bob: Server move")
        todo.waitingOn = waitingOn
        todo.contact = waitingOn == "bob@acme.example" ? "Bob Singh <bob@acme.example>" : nil
        todo.start = start.map { .date($0) }
        return todo
    }

    private func mail(
        _ name: String, from: EmailAddress, after days: Int64 = 3, names: Set<MessageID>? = nil,
        subject: String = "Re: Server move", inThread: Bool = true, _ kind: AnswerKind = .human
    ) -> WaitEvidence.Candidate {
        WaitEvidence.Candidate(
            message: EmailID(rawValue: name), messageID: MessageID(name + "@x"), from: [from],
            subject: subject, received: Self.asked + days * Self.day, names: names ?? [ours],
            isInThread: inThread, kind: kind)
    }

    private func wait(
        sent: Bool = true, reached: [EmailAddress] = [], now days: Int64 = 4,
        lastWritten: [String: Timestamp] = [:],
        _ mails: WaitEvidence.Candidate...
    ) -> Wait {
        judged(todo(), mails, sent: sent, reached: reached, now: days, lastWritten: lastWritten)
    }

    private func wait(_ todo: Todo, now days: Int64 = 4, _ mails: WaitEvidence.Candidate...) -> Wait {
        judged(todo, mails, now: days)
    }

    private func judged(
        _ todo: Todo, _ mails: [WaitEvidence.Candidate], sent: Bool = true, reached: [EmailAddress] = [],
        now days: Int64 = 4, lastWritten: [String: Timestamp] = [:]
    ) -> Wait {
        var evidence = WaitEvidence(todo: todo, since: sent ? Self.asked : nil)
        evidence.reached = reached
        evidence.questions = [ours]
        evidence.lastWritten = lastWritten
        evidence.subject = "Server move"
        evidence.candidates = mails
        return Wait(
            evidence, own: ["ana@acme.example"], now: Self.asked + days * Self.day, timeZone: "Europe/Paris")
    }

    private func decision(
        _ wait: Wait, _ todo: Todo, fresh: String..., workdays: Set<Int> = Set(1...5)
    ) -> WaitDecision {
        wait.decision(
            for: todo, fresh: Set(fresh.map { EmailID(rawValue: $0) }), now: Self.asked + 4 * Self.day,
            timeZone: "Europe/Paris", workdays: workdays)
    }

    @Test("a copy of an answer in another account is not a second answer")
    func copies() {
        var copy = mail("copy", from: bob, inThread: false)
        copy.messageID = MessageID("answer@x")
        let judged = wait(mail("answer", from: bob), copy, mail("more", from: bob, after: 4))
        #expect(judged.answers.map(\.messageID) == [MessageID("answer@x"), MessageID("more@x")])
        var forged = mail("forged", from: eve, after: 2, inThread: false)
        forged.messageID = MessageID("answer@x")
        #expect(wait(forged, mail("answer", from: bob)).answers.count == 1)
    }

    // MARK: States

    @Test("a wait has the state drafted, sent, overdue, answered, undelivered or closed")
    func states() {
        let day = Self.date(3, 13)
        #expect(wait(sent: false).state == .drafted)
        #expect(wait().state == .sent)
        #expect(wait(todo(start: day), now: 2).state == .sent)
        #expect(wait(todo(start: day), now: 4).state == .overdue)
        #expect(wait(todo(start: day), mail("a", from: bob)).state == .answered)
        let bounce = mail("b", from: eve, names: [], .bounce(recipients: [bob], isPermanent: true))
        #expect(wait(todo(start: day), bounce).state == .undelivered)
        var done = todo()
        done.status = .completed
        #expect(wait(done, mail("a", from: bob)).state == .closed)
    }

    // MARK: Answers

    @Test("an answer refers to the question and is from a person who was asked or got the same mail")
    func people() {
        #expect(wait(mail("a", from: bob)).answers.map(\.from) == [bob])
        #expect(wait(mail("a", from: ann)).answers.isEmpty)
        #expect(wait(reached: [bob, ann], mail("a", from: ann)).state == .answered)
        #expect(wait(mail("a", from: eve)).answers.isEmpty)
        #expect(wait(mail("a", from: bob, names: [MessageID("other@x")])).answers.isEmpty)
    }

    @Test("a person may answer from the address with or without a tag")
    func tags() {
        let work = todo("bob+work@acme.example")
        let answer = wait(work, mail("a", from: bob))
        #expect(answer.state == .answered)
        #expect(answer.answers.map(\.from.comparable) == ["bob+work@acme.example"], "as in the task")
        let tagged = EmailAddress(localPart: "bob+phone", domain: "acme.example")
        #expect(wait(mail("a", from: tagged)).state == .answered)
        #expect(wait(work, mail("a", from: eve)).answers.isEmpty)
        #expect(wait(work, mail("a", from: bob, names: [MessageID("other@x")])).answers.isEmpty)
    }

    @Test("an answer that refers to the question counts, whatever its date is")
    func clocks() {
        #expect(wait(mail("a", from: bob, after: -1)).state == .answered)
        #expect(wait(mail("a", from: bob, after: 90)).state == .answered)
    }

    @Test("without references, the same person and subject within 30 days are a guess")
    func guesses() {
        let guess = { (days: Int64, subject: String) in
            self.wait(
                self.mail("a", from: self.bob, after: days, names: [], subject: subject, inThread: false))
        }
        #expect(guess(3, "AW: Server  move").answers.first?.isGuess == true)
        #expect(guess(3, "server move").state == .answered)
        #expect(guess(31, "Re: Server move").answers.isEmpty)
        #expect(guess(-1, "Re: Server move").answers.isEmpty)
        #expect(guess(3, "Re: Server moved").answers.isEmpty)
        #expect(guess(3, "Other: Server move").answers.first?.isGuess == true)
    }

    @Test("automatic replies, receipts, calendar messages and list mail are not answers")
    func automatic() {
        let kinds: [AnswerKind] = [
            .automaticReply(returns: nil), .receipt, .calendar, .list,
            .bounce(recipients: [bob], isPermanent: false),
        ]
        for kind in kinds {
            #expect(wait(mail("a", from: bob, kind)).state == .sent, "\(kind)")
        }
    }

    @Test("each of several people must answer for themselves")
    func several() {
        let both = todo("bob@acme.example, ann@acme.example")
        let first = wait(both, mail("a", from: bob), mail("a2", from: bob, after: 4))
        #expect(first.state == .sent && first.missing.map(\.comparable) == ["ann@acme.example"])
        let all = wait(both, mail("a", from: bob), mail("b", from: ann, after: 4))
        #expect(all.state == .answered && all.lastAnswer?.from.comparable == "ann@acme.example")
    }

    @Test("a bounce counts for the recipients that it names, until the user writes again")
    func bounces() {
        let bounce = { (people: [EmailAddress], names: Set<MessageID>, inThread: Bool) in
            self.mail(
                "b", from: self.eve, names: names, inThread: inThread,
                .bounce(recipients: people, isPermanent: true))
        }
        #expect(wait(bounce([bob], [ours], true)).failures.first?.recipients == [bob])
        #expect(wait(reached: [bob, ann], bounce([ann], [ours], true)).failures.isEmpty)
        let forwarded = wait(bounce([ann], [ours], true))
        #expect(forwarded.failures.first?.recipients == [bob])
        let two = todo("bob@acme.example, eve@x.example")
        #expect(wait(two, bounce([ann], [ours], true)).failures.isEmpty)
        #expect(wait(bounce([], [ours], true)).state == .undelivered)
        #expect(wait(bounce([bob], [], false)).state == .sent, "it names no mail of ours")
        let later = Self.asked + 4 * Self.day
        #expect(wait(lastWritten: [bob.comparable: later], bounce([bob], [ours], true)).state == .sent)
        #expect(wait(lastWritten: [ann.comparable: later], bounce([bob], [ours], true)).state == .undelivered)
        #expect(wait(bounce([bob], [ours], true), mail("a", from: bob, after: 4)).state == .answered)
    }

    // MARK: Decisions

    @Test("the answer that completes a wait decides, and later ones do not")
    func completing() {
        var task = todo()
        task.onReply = .close
        let guess = mail("g", from: bob, after: 5, names: [], subject: "Re: Server move", inThread: false)
        let closed = wait(task, mail("a", from: bob), guess)
        #expect(closed.completing.map(\.message.rawValue) == ["a"] && closed.isClosed(by: .close))
        #expect(decision(closed, task, fresh: "a", "g").outcome == .close(closed.answers[0]))
        let guessed = wait(task, guess, mail("a", from: bob, after: 6))
        #expect(!guessed.isClosed(by: .close))
        #expect(decision(guessed, task, fresh: "a", "g").outcome == .decide(guessed.answers[0]))
        // The user waits again: only the new answer counts.
        #expect(decision(closed, task, fresh: "g").outcome == .decide(closed.answers[1]))
        let both = todo("bob@acme.example, ann@acme.example")
        let all = wait(
            both, mail("a", from: bob), mail("b", from: ann, after: 4), mail("c", from: bob, after: 5))
        #expect(all.completing.map(\.message.rawValue) == ["a", "b"])
        #expect(wait(both, mail("a", from: bob)).completing.isEmpty)
    }

    @Test("the policy of a task decides the effect of a new answer, once")
    func policies() {
        var task = todo()
        let answered = wait(task, mail("a", from: bob))
        guard case .decide(let answer) = decision(answered, task, fresh: "a").outcome else {
            Issue.record("an answer is something to decide")
            return
        }
        #expect(answered.days(until: answer) == 3)
        #expect(decision(answered, task).outcome == .stays)
        task.onReply = .close
        #expect(decision(answered, task, fresh: "a").outcome == .close(answer))
        task.onReply = .keep
        #expect(decision(answered, task, fresh: "a").outcome == .stays)
        task.list = .next
        #expect(decision(answered, task, fresh: "a").outcome == .stays)
    }

    @Test("a guess never closes a task")
    func guessedClose() {
        var task = todo()
        task.onReply = .close
        let guessed = wait(task, mail("a", from: bob, names: []))
        guard case .decide = decision(guessed, task, fresh: "a").outcome else {
            Issue.record("a guess is something to decide")
            return
        }
    }

    @Test("an absence moves the reminder to the next business day after it, never to an earlier day")
    func absences() {
        let friday = Self.date(3, 27)
        let monday = Self.date(3, 30)
        let away = { (day: CalendarDate?) in self.mail("o", from: self.bob, .automaticReply(returns: day)) }
        let early = todo(start: Self.date(3, 13))
        #expect(decision(wait(early, away(friday)), early, fresh: "o").start == monday)
        #expect(decision(wait(early, away(friday)), early).start == nil, "it was noted before")
        let weekends = decision(wait(early, away(friday)), early, fresh: "o", workdays: [6, 7])
        #expect(weekends.start == friday.adding(days: 1), "a user who works on Saturdays")
        #expect(decision(wait(away(friday)), todo(), fresh: "o").start == monday)
        let late = todo(start: Self.date(4, 13))
        #expect(decision(wait(late, away(friday)), late, fresh: "o").start == nil)
        #expect(decision(wait(away(nil)), todo(), fresh: "o").start == nil)
        let past = Self.date(3, 1)
        #expect(decision(wait(away(past)), todo(), fresh: "o").start == nil)
        let far = Self.date(3, 1, 2031)
        #expect(decision(wait(away(far)), todo(), fresh: "o").start == nil, "nobody is away for years")
    }

    @Test("an absence moves the day to ask also if the mail did not reach another person")
    func absenceAfterABounce() {
        let two = todo("bob@acme.example, ann@acme.example", start: Self.date(3, 13))
        let bounce = mail("b", from: eve, .bounce(recipients: [ann], isPermanent: true))
        let away = mail("o", from: bob, .automaticReply(returns: Self.date(3, 27)))
        let half = wait(two, bounce, away)
        #expect(half.state == .undelivered)
        #expect(decision(half, two, fresh: "o").start == Self.date(3, 30))
    }

    @Test("it is time to ask the others again, also if the mail did not reach one person")
    func lateAfterABounce() {
        let two = todo("bob@acme.example, ann@acme.example", start: Self.date(3, 13))
        let first = mail("b", from: eve, .bounce(recipients: [ann], isPermanent: true))
        let second = mail("c", from: eve, .bounce(recipients: [bob], isPermanent: true))
        #expect(!wait(two, now: 2, first).isLate(at: Self.time(2)))
        #expect(wait(two, now: 4, first).isLate(at: Self.time(4)))
        #expect(!wait(two, now: 4, first, second).isLate(at: Self.time(4)))
        #expect(!wait(two, now: 4, first, mail("a", from: bob)).isLate(at: Self.time(4)))
        #expect(wait(two, now: 4).isLate(at: Self.time(4)))
    }

    @Test("the people of a task are read from its file, with their names")
    func askedPeople() {
        var task = Todo(id: TodoID("a"), list: .waiting, summary: "x")
        task.contact = "Bob Singh <bob@acme.example>, ann@acme.example"
        #expect(task.askedPeople.map(\.name) == ["Bob Singh", "ann@acme.example"])
        task.waitingOn = "ann@acme.example"
        #expect(task.askedPeople.map(\.comparable) == ["ann@acme.example"])
        task.waitingOn = nil
        task.contact = "Bob from accounting"
        #expect(task.askedPeople.isEmpty)
    }
}

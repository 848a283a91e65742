import Models
import Planner
import Testing

@testable import Pipeline

/// What a wait writes into the notes of its task.
@Suite("Lines of waits")
struct WaitLineTests {
    private let zone = ZoneClock(zone: "Europe/Paris")
    private let bob = EmailAddress(
        displayName: "Bob\u{1B}[2J Singh", localPart: "bob", domain: "acme.example")

    private func wait(_ state: WaitState, answered: Bool = false) -> Wait {
        var wait = Wait(asked: [bob], since: Workplace.tuesday, askAt: Workplace.tuesday + 3 * Workplace.day)
        wait.state = state
        if answered {
            wait.answers = [
                Wait.Answer(
                    message: EmailID(rawValue: "a"), messageID: MessageID("a@x"), from: bob,
                    received: Workplace.tuesday + 3 * Workplace.day, isGuess: false)
            ]
        }
        return wait
    }

    @Test("the line gives the state, without control characters")
    func lines() {
        #expect(WaitLine.line(wait(.sent), zone) == "Wait: sent 2026-03-10")
        #expect(WaitLine.line(wait(.overdue), zone) == "Wait: overdue since 2026-03-13")
        #expect(WaitLine.line(wait(.drafted), zone) == Todo.draftedWait)
        #expect(WaitLine.line(wait(.closed), zone) == nil)
        let answered = WaitLine.line(wait(.answered, answered: true), zone) ?? ""
        #expect(answered.hasPrefix("Wait: answered 2026-03-13 after 3 days by Bob"))
        #expect(answered.hasSuffix(": <mid:a@x>"))
        #expect(!answered.unicodeScalars.contains { $0.value == 0x1B })
    }

    @Test("a person who has answered is not called away")
    func away() {
        let carla = EmailAddress(displayName: "Carla", localPart: "carla", domain: "acme.example")
        var wait = wait(.sent)
        wait.absences = [
            Wait.Absence(
                message: EmailID(rawValue: "b"), from: bob, until: CalendarDate(daysSinceEpoch: 20_539))
        ]
        #expect(WaitLine.line(wait, zone)?.hasSuffix(" is away until 2026-03-27") == true)
        wait.answers = self.wait(.sent, answered: true).answers
        wait.asked.append(carla)
        #expect(WaitLine.line(wait, zone)?.contains("away") == false)
    }

    @Test("a new line replaces the earlier one, above the link to the mail")
    func places() {
        let link = "Mail: <mid:q@x>"
        let first = WaitLine.setting("Wait: sent 2026-03-10", in: "My words\n\n" + link)
        #expect(first == "My words\nWait: sent 2026-03-10\n\n" + link)
        let second = WaitLine.setting("Wait: overdue since 2026-03-13", in: first)
        #expect(second == "My words\nWait: overdue since 2026-03-13\n\n" + link)
        #expect(WaitLine.present(in: second) == "Wait: overdue since 2026-03-13")
    }

    @Test("a new wait writes no line")
    func quiet() {
        var todo = Todo(id: TodoID("a"), list: .waiting, summary: "Waiting for Bob: Move")
        todo.waitingOn = "bob@acme.example"
        var settling = WaitSettling(todo, zone)
        settling.settle(
            wait(.sent), fresh: [], now: Workplace.tuesday, timeZone: "Europe/Paris", workdays: [])
        #expect(settling.change == nil && settling.lines.isEmpty)
    }

    @Test("an answer moves the task to next, renames it and removes its start")
    func decided() {
        var todo = Todo(id: TodoID("a"), list: .waiting, summary: "Waiting for Bob: Re: Move: now")
        todo.waitingOn = "bob@acme.example"
        todo.start = .date(CalendarDate(daysSinceEpoch: 20_525))
        var settling = WaitSettling(todo, zone)
        settling.settle(
            wait(.answered, answered: true), fresh: [EmailID(rawValue: "a")], now: Workplace.tuesday,
            timeZone: "Europe/Paris", workdays: [])
        #expect(settling.change?.list == .next)
        #expect(settling.change?.summary == "Decide: Re: Move: now")
        #expect(settling.change?.clears == [.start])
        #expect(settling.change?.notes?.contains("mid:a@x") == true)
    }
}

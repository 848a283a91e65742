import Foundation
import Models
import Testing

@testable import Pipeline

/// The weekly review: what it asks, what an answer changes, and how it goes on later.
@Suite("The review")
struct ReviewTests {
    private func item(
        _ section: ReviewItem.Section, _ title: String, _ session: Session, inbox: Int = 0
    ) throws -> ReviewItem {
        let items = try session.review.items(account: nil, inbox: inbox)
        return try #require(items.first { $0.section == section && $0.title == title })
    }

    private func titles(
        _ section: ReviewItem.Section, _ session: Session, inbox: Int = 0
    ) throws -> [String] {
        try session.review.items(account: nil, inbox: inbox).filter { $0.section == section }.map(\.title)
    }

    @Test("it asks about the oldest messages above the number that may stay in the inbox")
    func inbox() async throws {
        let work = try Workplace()
        for (number, subject) in ["One", "Two", "Three"].enumerated() {
            try work.deliver(SampleMail(subject: subject, date: Workplace.tuesday - 900 + Int64(number)))
        }
        try await work.synced { session in
            let asked = try [0, 2, 5].map { try titles(.inbox, session, inbox: $0) }
            #expect(asked == [["One", "Two", "Three"], ["One"], []])
        }
    }

    @Test(
        "an answer about a message moves it, and taking it back undoes that",
        arguments: [
            (ReviewChoice.archive, "Archive"), (.trash, "Trash"), (.tomorrow, "Deferred"),
            (.week, "Deferred"),
            (.someday, "Deferred"), (.task, "Archive"),
        ])
    func mail(_ choice: ReviewChoice, _ mailbox: String) async throws {
        let work = try Workplace()
        try work.deliver("Lunch")
        try await work.synced { session in
            var state = session.review.state()
            let answer = try await session.review.answer(try item(.inbox, "Lunch", session), choice)
            #expect(answer.isChange)
            state.answers.append(answer)
            // A task of a message leaves the message where it is.
            #expect(try work.names(choice == .task ? "INBOX" : mailbox) == ["Lunch"])
            #expect(try session.tasks.files().files.count == (choice == .task ? 1 : 0))
            #expect(try await session.review.takeBack(&state))
            #expect(try work.names("INBOX") == ["Lunch"])
            #expect(try session.tasks.files().files.isEmpty)
            #expect(state.answers.isEmpty)
            #expect(try await !session.review.takeBack(&state))
        }
    }

    @Test("keeping something changes nothing, and the question is not asked again")
    func keep() async throws {
        let work = try Workplace()
        try work.deliver("Lunch")
        try await work.synced { session in
            var state = session.review.state()
            let lunch = try item(.inbox, "Lunch", session)
            let answer = try await session.review.answer(lunch, .keep)
            #expect(!answer.isChange)
            state.answers.append(answer)
            try session.review.save(state)
        }
        try await work.with(at: Workplace.tuesday + 3_600) { session in
            let state = session.review.state()
            #expect(state.begun == Workplace.tuesday)
            let lunch = try item(.inbox, "Lunch", session)
            #expect(state.decided == [lunch.key] && state.changes.isEmpty)
            session.review.finish()
            #expect(session.review.state().answers.isEmpty)
        }
    }

    @Test("keeping something is never a run of another process")
    func keepBesideOthers() async throws {
        let work = try Workplace()
        try work.deliver("Lunch")
        try await work.synced { session in
            let lunch = try item(.inbox, "Lunch", session)
            let other = Task {
                while !Task.isCancelled {
                    _ = try session.taskChanges.add(
                        Tasks.new("Other", on: .next, TodoPatch()), command: "task add")
                }
            }
            for _ in 0..<300 {
                let answer = try await session.review.answer(lunch, .keep)
                #expect(!answer.isChange)
            }
            other.cancel()
            try await other.value
        }
    }

    @Test("a review that was begun more than a week ago begins again")
    func old() async throws {
        let work = try Workplace()
        try await work.with { try $0.review.save($0.review.state()) }
        try await work.with(at: Workplace.tuesday + 6 * Workplace.day) { session in
            #expect(session.review.state().begun == Workplace.tuesday)
            #expect(session.review.state(restarting: true).begun == session.now)
        }
        try await work.with(at: Workplace.tuesday + 8 * Workplace.day) { session in
            #expect(session.review.state().begun == session.now)
        }
        try work.write("{ not json", to: ".opus/review.json")
        try await work.with { session in #expect(session.review.state().answers.isEmpty) }
    }

    @Test("it asks about stale next actions, projects without one, and tasks for someday")
    func tasks() async throws {
        let work = try Workplace()
        try work.writeTask("old", "Call Bob", "CREATED:20260201T080000Z")
        try work.writeTask("new", "Call Carla", "CREATED:20260309T080000Z")
        try work.writeTask("novel", "Write a novel", list: "someday")
        try work.writeTask("house", "Build a house", "CREATED:20260309T080000Z")
        try work.writeTask(
            "floor", "Buy a floor", "CREATED:20260309T080000Z", "RELATED-TO;RELTYPE=PARENT:house")
        try await work.with { session in
            #expect(try titles(.next, session) == ["Call Bob"])
            #expect(try titles(.someday, session) == ["Write a novel"])
            #expect(try titles(.projects, session).isEmpty)
            let floor = try session.task("Buy a floor")
            _ = try session.taskChanges.change(
                floor, try session.taskChanges.completion(of: floor), command: "task done")
            #expect(try titles(.projects, session) == ["Build a house"])
        }
    }

    @Test("an answer about a task changes its file")
    func answersAboutTasks() async throws {
        let work = try Workplace()
        for name in ["done", "cancel", "someday", "week"] {
            try work.writeTask(name, name, "CREATED:20260201T080000Z")
        }
        try work.writeTask("next", "next", list: "someday")
        try await work.with { session in
            for choice in [ReviewChoice.done, .cancel, .someday, .week] {
                _ = try await session.review.answer(try item(.next, choice.rawValue, session), choice)
            }
            _ = try await session.review.answer(try item(.someday, "next", session), .next)
            #expect(try session.task("done").todo.status == .completed)
            #expect(try session.task("cancel").todo.status == .cancelled)
            #expect(try session.task("someday").todo.list == .someday)
            #expect(try session.task("next").todo.list == .next)
            #expect(try session.task("week").todo.start == CalendarDate("2026-03-17").map { .date($0) })
        }
    }

    @Test("a project gets a next action with the title that the user typed")
    func nextAction() async throws {
        let work = try Workplace()
        try work.writeTask("house", "Build a house", "CREATED:20260309T080000Z")
        try work.writeTask(
            "floor", "Buy a floor", "CREATED:20260309T080000Z", "RELATED-TO;RELTYPE=PARENT:house")
        try await work.with { session in
            let floor = try session.task("Buy a floor")
            _ = try session.taskChanges.change(
                floor, try session.taskChanges.completion(of: floor), command: "task done")
            let house = try item(.projects, "Build a house", session)
            _ = try await session.review.answer(house, .action, text: "Call the mason")
            let action = try session.task("Call the mason").todo
            #expect(action.parent == TodoID("house") && action.list == .next)
            #expect(try titles(.projects, session).isEmpty)
        }
    }

    @Test("a discarded draft comes back when the answer is undone")
    func draft() async throws {
        let work = try Workplace()
        try await work.synced { session in
            _ = try await session.written { $0.subject = "Offer" }
            var state = session.review.state()
            state.answers.append(
                try await session.review.answer(try item(.drafts, "Offer", session), .discard))
            #expect(try session.drafts.list(account: nil).isEmpty)
            #expect(try await session.review.takeBack(&state))
            #expect(try session.drafts.list(account: nil).map(\.subject) == ["Offer"])
        }
    }

    @Test("a rule that never matched is asked about, and disabling it can be undone")
    func rules() async throws {
        let work = try Workplace()
        try work.deliver("Invoice 1", "A question", "A notice")
        try await work.run()
        let written = try work.read("rules/10-rules.yaml")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: Double(Workplace.tuesday.seconds))],
            ofItemAtPath: work.root + "/rules/10-rules.yaml")
        try await work.with(at: Workplace.tuesday + 100 * Workplace.day) { session in
            #expect(try titles(.rules, session) == ["later"])
            var state = session.review.state()
            state.answers.append(
                try await session.review.answer(try item(.rules, "later", session), .disable))
            #expect(try work.read("rules/10-rules.yaml").contains("enabled: false"))
            #expect(try titles(.rules, session).isEmpty)
            #expect(try await session.review.takeBack(&state))
            #expect(try work.read("rules/10-rules.yaml") == written)
        }
    }

    @Test("deferred mail is asked about with its date, and comes back now if the user wants it")
    func deferred() async throws {
        let work = try Workplace()
        try work.deliver("Lunch", "Novel")
        try await work.synced { session in
            try await session.byHand(.deferUntil("tomorrow 09:00"), "Lunch")
            try await session.byHand(.deferUntil("someday"), "Novel")
            #expect(try titles(.deferred, session) == ["Lunch", "Novel"])
            let lunch = try item(.deferred, "Lunch", session)
            #expect(lunch.date == .instant(Workplace.tuesday + Workplace.day + 1_800))
            #expect(try item(.deferred, "Novel", session).detail == "Bob, someday")
            _ = try await session.review.answer(lunch, .back)
            #expect(try work.names("INBOX") == ["Lunch"])
        }
    }

    @Test("a message that a rule protects is not moved, and the question stays")
    func protected() async throws {
        let work = try Workplace(rules: [
            "a.yaml": "rules-version: 1\nprotect:\n  - bosses: subject:salary\n"
        ])
        try work.deliver("Salary")
        try await work.synced { session in
            let salary = try item(.inbox, "Salary", session)
            do {
                _ = try await session.review.answer(salary, .archive)
                Issue.record("it was moved")
            } catch let problem as Problem {
                #expect(problem.code == "protected")
                #expect(problem.message == "a rule protects this message: bosses")
            }
            #expect(try work.names("INBOX") == ["Salary"])
        }
    }

    @Test("every section offers different keys, and keeping is always possible")
    func keys() {
        for section in ReviewItem.Section.allCases {
            for key in ["draft a", "outbox a"] {
                let choices = ReviewItem(section: section, key: key, id: "", title: "", detail: "").choices
                #expect(choices.contains(.keep))
                #expect(Set(choices.map(\.key)).count == choices.count, "\(section)")
                #expect(!choices.map { $0.label(in: section) }.contains(""))
            }
        }
    }
}

import Foundation
import MailStore
import MaildirClient
import Models
import Testing

@testable import Pipeline

/// The way back: an edited task file, and a clock that went on, move mail.
@Suite("Following")
struct FollowingTests {
    private let wednesday = Workplace.tuesday + Workplace.day
    private let thursday = Workplace.tuesday + 2 * Workplace.day

    @Test("completing a task in its file archives the mail, and reopening it returns the mail")
    func doneAndReopened() async throws {
        let work = try Workplace()
        try work.deliver("A question")
        try await work.run()
        #expect(try work.names("INBOX") == ["A-question"])

        try work.edit("question") {
            $0.replacingOccurrences(of: "END:VTODO", with: "STATUS:COMPLETED\r\nEND:VTODO")
                .replacingOccurrences(of: "STATUS:NEEDS-ACTION\r\n", with: "")
        }
        let done = try await work.run()
        #expect(done.follow.lines == ["task “Answer A question” is done: its mail goes to the archive"])
        #expect(try work.names("Archive") == ["A-question"])
        #expect(try await work.run().didNothing)

        try work.edit("question") {
            $0.replacingOccurrences(of: "STATUS:COMPLETED", with: "STATUS:NEEDS-ACTION")
        }
        let reopened = try await work.run()
        #expect(
            reopened.follow.lines == ["task “Answer A question” is open: its mail returns to the inbox"])
        #expect(try work.names("INBOX") == ["A-question"])
        #expect(try await work.run().didNothing)
    }

    @Test("a changed task of an account outside the run keeps its change for a later run")
    func otherAccount() async throws {
        let work = try Workplace()
        try work.deliver("A question")
        try await work.run()
        try work.edit("question") { $0.replacing("STATUS:NEEDS-ACTION", with: "STATUS:COMPLETED") }
        try await work.with { session in
            let report = try await session.follow.taskEdits(for: [AccountID("home")], allowMassDelete: false)
            #expect(report.lines.isEmpty && report.runs.isEmpty)
        }
        #expect(try work.names("INBOX") == ["A-question"])
        try await work.run()
        #expect(try work.names("Archive") == ["A-question"])
    }

    @Test("a task completed by opus task done moves its mail like any other edit")
    func completed() async throws {
        let work = try Workplace()
        try work.deliver("A question")
        try await work.run()
        try await work.with(at: wednesday) { session in
            let file = try #require(try session.tasks.files().files.first)
            let done = try session.taskChanges.change(
                file, try session.taskChanges.completion(of: file), command: "task done")
            #expect(done.todo.isCompleted)
        }
        try await work.run(at: wednesday)
        #expect(try work.names("Archive") == ["A-question"])
        #expect(try await work.run(at: thursday).didNothing)
    }

    @Test("a deferred message returns once when it is due, and is not changed afterwards")
    func deferral() async throws {
        let work = try Workplace()
        try work.deliver("A weekly letter")
        try await work.run()
        #expect(try work.names("Deferred") == ["A-weekly-letter"])
        #expect(try await work.run(at: Workplace.tuesday + 3_600).didNothing)

        let back = try await work.run(at: wednesday + 3_600)
        #expect(back.failures.isEmpty)
        #expect(try work.names("INBOX") == ["A-weekly-letter"])
        #expect(try work.names("Deferred").isEmpty)
        #expect(try await work.run(at: wednesday + 7_200).didNothing)
        #expect(try await work.run(at: thursday).didNothing)
    }

    @Test("a returning message is reported with its sender and subject")
    func returned() async throws {
        let work = try Workplace()
        try work.deliver("A weekly letter")
        #expect(try await work.run().follow.returned.isEmpty)
        let mail = try await work.run(at: wednesday + 3_600).follow.returned
        #expect(mail.map(\.subject) == ["A weekly letter"] && mail.map(\.from) == ["Bob"])
        #expect(try await work.run(at: wednesday + 7_200).follow.returned.isEmpty)
    }

    @Test("completing a task archives its deferred mail, which does not return")
    func doneWhileDeferred() async throws {
        let rules = """
            rules-version: 1
            rules:
              - id: prepare
                when: subject:talk
                then:
                  - task: { title: 'Prepare {{subject}}', list: next }
                  - defer: tomorrow 09:00

            """
        let work = try Workplace(rules: ["10.yaml": rules])
        try work.deliver("The talk")
        try await work.run()
        try work.finish("talk")
        try await work.run()
        #expect(try work.names("Archive") == ["The-talk"])
        #expect(try await work.run(at: wednesday + 3_600).follow.returned.isEmpty)
        #expect(try work.names("Archive") == ["The-talk"])
    }

    @Test("a deferred message that the user moved stays where it is")
    func deferralTakenOut() async throws {
        let work = try Workplace()
        try work.deliver("A weekly letter")
        try await work.run()
        _ = try work.client.move(
            unique: "100.A-weekly-letter", from: MailboxName("Deferred"), to: MailboxName("Archive"))
        try await work.run(at: wednesday + 3_600)
        #expect(try work.names("Archive") == ["A-weekly-letter"])
        #expect(try await work.run(at: thursday).didNothing)
    }

    @Test("a new start in the task file changes the day on which the mail returns")
    func start() async throws {
        let rules = """
            rules-version: 1
            rules:
              - id: prepare
                when: subject:talk
                then:
                  - task: { title: 'Prepare {{subject}}', list: next }
                  - defer: tomorrow 09:00

            """
        let work = try Workplace(rules: ["10.yaml": rules])
        try work.deliver("The talk")
        try await work.run()
        #expect(try work.names("Deferred") == ["The-talk"])
        try work.edit("The talk") { text in
            text.split(separator: "\r\n", omittingEmptySubsequences: false).filter {
                !$0.hasPrefix("DTSTART")
            }
            .joined(separator: "\r\n")
            .replacingOccurrences(of: "END:VTODO", with: "DTSTART:20260312T080000Z\r\nEND:VTODO")
        }
        let moved = try await work.run()
        #expect(
            moved.follow.lines == [
                "task “Prepare The talk” starts later: its mail is deferred until 2026-03-12 09:00"
            ])
        try await work.run(at: wednesday + 7_200)
        #expect(try work.names("Deferred") == ["The-talk"])
        try await work.run(at: thursday + 3_600)
        #expect(try work.names("INBOX") == ["The-talk"])
        #expect(try await work.run(at: thursday + 7_200).didNothing)
    }

    @Test("a deleted or damaged task file moves no mail")
    func deletedOrBroken() async throws {
        let work = try Workplace()
        try work.deliver("A question")
        try await work.run()
        try work.edit("question") { _ in "BEGIN:VCALENDAR\r\nnonsense" }
        let broken = try await work.run()
        #expect(broken.follow.malformed.count == 1)
        #expect(broken.follow.lines.isEmpty)
        #expect(try work.names("INBOX") == ["A-question"])
    }

    @Test("opus stops when most task files vanish at once")
    func massDelete() async throws {
        let work = try Workplace()
        for number in 1...12 { try work.deliver("A question \(number)") }
        try await work.run()
        try FileManager.default.removeItem(atPath: work.root + "/tasks/next")
        await #expect(throws: Problem.self) { try await work.run() }
        #expect(try work.names("INBOX").count == 12)
        let believed = try await work.run(allowMassDelete: true)
        #expect(believed.follow.lines.count == 12)
        #expect(try work.names("INBOX").count == 12)
    }

    @Test("a lost store is rebuilt from mail and tasks, and nothing is doubled")
    func storeLost() async throws {
        let work = try Workplace()
        try work.deliver("Invoice 1", "A question")
        try await work.run()
        try FileManager.default.removeItem(atPath: work.root + "/.opus")
        try await work.run()
        try await work.with { session in
            let files = try session.tasks.files().files
            #expect(files.count == 2)
        }
        try work.edit("question") {
            $0.replacingOccurrences(of: "STATUS:NEEDS-ACTION\r\n", with: "")
                .replacingOccurrences(of: "END:VTODO", with: "STATUS:COMPLETED\r\nEND:VTODO")
        }
        try await work.run()
        #expect(try work.names("Archive") == ["A-question", "Invoice-1"])
    }
}

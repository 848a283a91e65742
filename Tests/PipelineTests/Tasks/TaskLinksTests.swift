import Foundation
import MaildirClient
import Models
import Testing

@testable import Pipeline

/// Which mail a task file may decide about: files come and go under other names, and anyone can write one.
@Suite("Links of tasks")
struct TaskLinksTests {
    private func tasked() async throws -> Workplace {
        let work = try Workplace()
        try work.deliver("A question")
        try await work.run()
        return work
    }

    /// Replaces the file of the task by another one with another UID, as programs do that know none.
    private func rewrite(_ work: Workplace, uid: String, _ change: (String) -> String = { $0 }) throws {
        let path = try #require(try work.taskFiles("question").first)
        let text = try work.read("tasks/" + path)
        try FileManager.default.removeItem(atPath: work.root + "/tasks/" + path)
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false).map {
            $0.hasPrefix("UID:") ? "UID:" + uid : String($0)
        }
        try work.write(change(lines.joined(separator: "\r\n")), to: "tasks/next/\(uid).ics")
    }

    private func lost(_ work: Workplace) throws {
        try FileManager.default.removeItem(atPath: work.root + "/.opus")
    }

    @Test("a file that replaces another keeps its mail, without a question")
    func successor() async throws {
        let work = try await tasked()
        try rewrite(work, uid: "calcurse-1")
        let taken = try await work.follow(.no)
        #expect(taken.asked.isEmpty && taken.report.lines.isEmpty)
        try work.finish("question")
        let (report, asked) = try await work.follow(.no)
        #expect(asked.isEmpty)
        #expect(report.lines == ["task “Answer A question” is done: its mail goes to the archive"])
        #expect(try work.names("Archive") == ["A-question"])
    }

    @Test("a file that was replaced and completed at once counts as completed, not deleted")
    func successorDone() async throws {
        let work = try await tasked()
        try rewrite(work, uid: "calcurse-1") {
            $0.replacing("STATUS:NEEDS-ACTION", with: "STATUS:COMPLETED")
        }
        let (report, asked) = try await work.follow(.no)
        #expect(asked.isEmpty)
        #expect(report.lines == ["task “Answer A question” is done: its mail goes to the archive"])
        #expect(try work.names("Archive") == ["A-question"])
    }

    @Test("the replacement of a task file is recognised within a day")
    func laterSuccessor() async throws {
        for (pause, asks) in [(Int64(3_600), false), (86_401, true)] {
            let work = try await tasked()
            let path = try #require(try work.taskFiles("question").first)
            let text = try work.read("tasks/" + path)
            try FileManager.default.removeItem(atPath: work.root + "/tasks/" + path)
            let gone = try await work.follow()
            #expect(gone.report.lines == ["task “Answer A question” was deleted; its mail stays"])
            let later = Workplace.tuesday + pause
            try work.write(
                text.replacing("\r\nUID:", with: "\r\nUID:other-").replacing(
                    "STATUS:NEEDS-ACTION", with: "STATUS:COMPLETED"), to: "tasks/next/other.ics")
            _ = try await work.follow(at: later, .no)
            try work.edit("question") { $0.replacing("STATUS:COMPLETED", with: "STATUS:NEEDS-ACTION") }
            _ = try await work.follow(at: later, .no)
            try work.finish("question")
            let (_, asked) = try await work.follow(at: later, .no)
            #expect(asked.isEmpty != asks, "\(pause)")
        }
    }

    @Test("completing a copy of the file does not move the mail of the open task")
    func copy() async throws {
        let work = try await tasked()
        let path = try #require(try work.taskFiles("question").first)
        let text = try work.read("tasks/" + path)
        try work.write(
            text.replacing("\r\nUID:", with: "\r\nUID:copy-").replacing("SUMMARY:", with: "SUMMARY:Copy: "),
            to: "tasks/next/copy.ics")
        _ = try await work.follow(.no)
        try work.finish("Copy: ")
        let (_, asked) = try await work.follow(.no)
        #expect(asked.isEmpty)
        #expect(try work.names("INBOX") == ["A-question"])
    }

    @Test("the mail of a completed task stays while another task of the conversation is open")
    func otherOpen() async throws {
        let work = try await tasked()
        try await work.with { session in
            _ = try await session.taskMail.make(
                TodoDraft(summary: "Second", list: .next), of: try session.id(of: "A question"), again: true)
        }
        try work.finish("Answer")
        let (report, _) = try await work.follow()
        #expect(
            report.lines == [
                "the mail of task “Answer A question” stays, because the thread has another open task"
            ])
        #expect(try work.names("INBOX") == ["A-question"])
        try work.finish("Second")
        _ = try await work.follow()
        #expect(try work.names("Archive") == ["A-question"])
    }

    @Test("without a store, files written by opus keep their mail, and a forged one does not")
    func lostStore() async throws {
        let work = try await tasked()
        try lost(work)
        try await work.run()
        try work.finish("question")
        #expect(try await work.follow(.no).asked.isEmpty)
        #expect(try work.names("Archive") == ["A-question"])

        let forged = try await tasked()
        try rewrite(forged, uid: "00000000-0000-5000-8000-000000000000")
        try lost(forged)
        _ = try await forged.follow(.no)
        try forged.finish("question")
        #expect(try await forged.follow(.no).asked == ["link A question"])
        #expect(try forged.names("INBOX") == ["A-question"])
    }

    @Test("mail that the user archived stays archived when the task is reopened")
    func archivedByHand() async throws {
        let work = try await tasked()
        try work.finish("question")
        _ = try await work.follow()
        try await work.with { session in
            let id = try session.id(of: "A question")
            for verb in [HandVerb(.move(to: "INBOX")), HandVerb(.archive)] {
                let plan = try #require(try session.byHand.plans(for: verb, ids: [id]).first)
                _ = try await session.byHand.apply(plan, verb: verb)
            }
        }
        try work.edit("question") { $0.replacing("STATUS:COMPLETED", with: "STATUS:NEEDS-ACTION") }
        let (report, _) = try await work.follow()
        #expect(report.lines.isEmpty)
        #expect(try work.names("Archive") == ["A-question"])
    }

    @Test("mail that the user moved stays there when the task is reopened")
    func movedSince() async throws {
        let work = try await tasked()
        try work.finish("question")
        _ = try await work.follow()
        try work.client.create(MailboxName("Projects"))
        _ = try work.client.move(
            unique: "100.A-question", from: MailboxName("Archive"), to: MailboxName("Projects"))
        try work.edit("question") { $0.replacing("STATUS:COMPLETED", with: "STATUS:NEEDS-ACTION") }
        let (report, _) = try await work.follow()
        #expect(report.lines.isEmpty)
        #expect(try work.names("Projects") == ["A-question"])
    }
}

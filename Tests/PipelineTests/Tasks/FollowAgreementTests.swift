import MaildirClient
import Models
import Testing

@testable import Pipeline

/// What is asked before mail follows task files, and what each answer does, now and in the runs after.
@Suite("Agreement to follow")
struct FollowAgreementTests {
    private func tasked(_ subjects: String..., settings: String = "") async throws -> Workplace {
        let work = try Workplace()
        if !settings.isEmpty { try work.configure(settings) }
        for subject in subjects { try work.deliver(subject) }
        try await work.run()
        return work
    }

    /// A workspace where another program has a file that names a mail of the inbox.
    private func claimed() async throws -> Workplace {
        let work = try Workplace()
        try work.deliver("Lunch")
        try work.writeTask("foreign", "Mine", "URL:mid:Lunch@x")
        _ = try await work.follow()
        return work
    }

    // MARK: Trash

    @Test("mail moves to the trash only after a yes, and is reported until then")
    func trash() async throws {
        let work = try await tasked("A question", settings: "tasks: { when-done: trash }")
        try work.finish("question")
        for _ in 0..<2 {
            let (report, asked) = try await work.follow(.later)
            #expect(asked == ["trash Answer A question"])
            #expect(
                report.held == [
                    "task “Answer A question” is done: moving its mail to the trash needs your confirmation (--allow-trash)"
                ])
            #expect(try work.names("INBOX") == ["A-question"])
        }
        let (report, _) = try await work.follow(.yes)
        #expect(report.lines == ["task “Answer A question” is done: its mail goes to the trash"])
        #expect(try work.names("Trash") == ["A-question"])
        #expect(try await work.follow().asked.isEmpty)
    }

    @Test("after a no, the mail stays for good")
    func noTrash() async throws {
        let work = try await tasked("A question", settings: "tasks: { when-done: trash }")
        try work.finish("question")
        let (report, _) = try await work.follow(.no)
        #expect(report.held == ["task “Answer A question” is done: its mail stays, as you decided"])
        let (_, asked) = try await work.follow(.yes)
        #expect(asked.isEmpty)
        #expect(try work.names("INBOX") == ["A-question"])
    }

    @Test("mail that is kept or archived needs no answer")
    func unasked() async throws {
        let work = try await tasked("A question", settings: "tasks: { when-done: keep }")
        try work.finish("question")
        let (report, asked) = try await work.follow(.yes)
        #expect(asked.isEmpty)
        #expect(report.lines == ["task “Answer A question” is finished; its mail stays"])
        #expect(try work.names("INBOX") == ["A-question"])
    }

    // MARK: Claims

    @Test("mail that a task file names moves only after a yes, with one question")
    func claim() async throws {
        let work = try await claimed()
        try work.finish("Mine")
        let (report, asked) = try await work.follow(.yes)
        #expect(asked == ["link Lunch"])
        #expect(report.lines == ["task “Mine” is done: its mail goes to the archive"])
        #expect(try work.names("Archive") == ["Lunch"])
        try work.edit("Mine") { $0.replacing("STATUS:COMPLETED", with: "STATUS:NEEDS-ACTION") }
        #expect(try await work.follow().asked.isEmpty)
        #expect(try work.names("INBOX") == ["Lunch"])
    }

    @Test("an unanswered claim is reported once, asked again in each run, and keeps its change")
    func waitingClaim() async throws {
        let work = try await claimed()
        try work.finish("Mine")
        let first = try await work.follow(.later)
        #expect(first.report.held.count == 1)
        #expect(first.report.held.first?.contains("(opus task link t:") == true)
        let second = try await work.follow(.later)
        #expect(second.asked == ["link Lunch"] && second.report.held.isEmpty)
        #expect(try work.names("INBOX") == ["Lunch"])
        _ = try await work.follow(.yes)
        #expect(try work.names("Archive") == ["Lunch"])
    }

    @Test("a refused claim is never asked again, even if the file changes")
    func refusedClaim() async throws {
        let work = try await claimed()
        try work.finish("Mine")
        let (report, _) = try await work.follow(.no)
        #expect(report.held == ["task “Mine” is done: its mail stays, as you decided"])
        try work.edit("Mine") { $0.replacing("STATUS:COMPLETED", with: "STATUS:NEEDS-ACTION") }
        _ = try await work.follow(.yes)
        try work.finish("Mine")
        #expect(try await work.follow(.yes).asked.isEmpty)
        #expect(try work.names("INBOX") == ["Lunch"])
    }

    @Test("claimed mail of a completed task moves to the trash only after two answers")
    func claimedTrash() async throws {
        let work = try await claimed()
        try work.configure("tasks: { when-done: trash }")
        try work.finish("Mine")
        let (_, asked) = try await work.follow(.yes, .no)
        #expect(asked == ["link Lunch", "trash Mine"])
        #expect(try work.names("INBOX") == ["Lunch"])
    }

    @Test("a claim on mail of an account outside the run is not asked")
    func otherAccount() async throws {
        let work = try await claimed()
        try work.finish("Mine")
        try await work.with { session in
            let report = try await session.follow.taskEdits(for: [], allowMassDelete: false) { _ in
                Issue.record("it was asked")
                return .yes
            }
            #expect(report.lines.isEmpty && report.held.isEmpty)
        }
        _ = try await work.follow(.yes)
        #expect(try work.names("Archive") == ["Lunch"])
    }

    // MARK: Many at once

    @Test("more mail than the brake allows moves only after a yes")
    func many() async throws {
        let work = try await tasked(
            "question 1", "question 2", "question 3", settings: "brakes: { share: 50, count: 2 }")
        for number in 1...3 { try work.finish("question \(number)") }
        let (held, asked) = try await work.follow(.later)
        #expect(asked == ["many 3"] && held.isBraked && held.lines.isEmpty)
        #expect(held.held.first?.contains("--allow-mass-move") == true)
        #expect(try work.names("INBOX").count == 3)
        let (report, again) = try await work.follow(.yes)
        #expect(again == ["many 3"] && !report.isBraked)
        #expect(try work.names("Archive").count == 3)
    }

    @Test("as much mail as the brake allows moves without a question")
    func fewEnough() async throws {
        let work = try await tasked("question 1", "question 2", settings: "brakes: { share: 50, count: 2 }")
        for number in 1...2 { try work.finish("question \(number)") }
        #expect(try await work.follow().asked.isEmpty)
        #expect(try work.names("Archive").count == 2)
    }
}

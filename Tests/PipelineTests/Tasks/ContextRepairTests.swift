import Foundation
import Models
import Testing

@testable import Pipeline

/// Contexts that another program lost with its own edit are written back; those that a person took away are not.
@Suite("Repair of contexts")
struct ContextRepairTests {
    private static let rules = """
        rules-version: 1
        rules:
          - id: ask
            when: subject:question
            then:
              - task: { title: 'Answer {{subject}}', list: next, context: [home, phone] }
        """

    private func tasked() async throws -> Workplace {
        let work = try Workplace(rules: ["10.yaml": Self.rules])
        try work.deliver("A question")
        try await work.run()
        #expect(try work.taskText("question").contains("CATEGORIES:"))
        return work
    }

    private func without(_ name: String, _ text: String) -> String {
        text.split(separator: "\r\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix(name) }
            .joined(separator: "\r\n")
    }

    @Test("contexts that vanished with another change are written back once, and that change is kept")
    func repaired() async throws {
        let work = try await tasked()
        try work.edit("question") {
            without("CATEGORIES", $0).replacing("SUMMARY:Answer", with: "SUMMARY:Reply to")
        }
        let (report, _) = try await work.follow()
        #expect(
            report.lines == [
                "another program removed the contexts of task “Reply to A question”; opus restored them"
            ])
        try await work.with { session in
            let todo = try session.task("Reply to A question").todo
            #expect(Set(todo.categories) == ["home", "phone"])
        }
        let (again, _) = try await work.follow()
        #expect(again.lines.isEmpty && again.isQuiet)
    }

    @Test("contexts that another program added are restored, too, after a third program lost all of them")
    func addedElsewhere() async throws {
        let work = try await tasked()
        try work.edit("question") {
            without("CATEGORIES", $0).replacing(
                "STATUS:", with: "CATEGORIES:home,Work\r\nCATEGORIES:Ziel\r\nSTATUS:")
        }
        let (edited, _) = try await work.follow()
        #expect(edited.lines == ["task “Answer A question” has other categories: label +Work +Ziel -phone"])
        let (next, _) = try await work.follow()
        #expect(next.isQuiet)
        try work.edit("question") {
            without("CATEGORIES", $0).replacing("STATUS:", with: "PRIORITY:1\r\nSTATUS:")
        }
        let (report, _) = try await work.follow()
        #expect(
            report.lines == [
                "another program removed the contexts of task “Answer A question”; opus restored them"
            ])
        try await work.with { session in
            let todo = try session.task("Answer A question").todo
            #expect(Set(todo.categories) == ["home", "Work", "Ziel"])
        }
    }

    @Test("contexts are written back only in a run for the account of the task")
    func otherAccount() async throws {
        let work = try await tasked()
        try work.edit("question") {
            without("CATEGORIES", $0).replacing("SUMMARY:Answer", with: "SUMMARY:Reply to")
        }
        try await work.with { session in
            _ = try await session.follow.taskEdits(for: [], allowMassDelete: false)
        }
        #expect(try !work.taskText("question").contains("CATEGORIES:"))
        _ = try await work.follow()
        #expect(try work.taskText("question").contains("CATEGORIES:"))
    }

    @Test("contexts that the user replaced are not written back")
    func replaced() async throws {
        let work = try await tasked()
        try work.edit("question") {
            without("CATEGORIES", $0).replacing("END:VTODO", with: "CATEGORIES:office\r\nEND:VTODO")
        }
        _ = try await work.follow()
        try await work.with { session in
            let todo = try session.task("Answer A question").todo
            #expect(todo.categories == ["office"])
        }
    }
}

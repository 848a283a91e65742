import Foundation
import Models

@testable import Pipeline

/// Task files as other programs write them, and what follows them.
extension Workplace {
    /// Marks the task whose file holds that word as done, as any other program would.
    func finish(_ word: String) throws {
        try edit(word) { $0.replacing("STATUS:NEEDS-ACTION", with: "STATUS:COMPLETED") }
    }

    /// Writes a task file of another program.
    func writeTask(_ uid: String, _ summary: String, list: String = "next", _ lines: String...) throws {
        let all =
            [
                "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Other//EN", "BEGIN:VTODO", "UID:\(uid)",
                "DTSTAMP:20260310T070000Z", "SUMMARY:\(summary)", "STATUS:NEEDS-ACTION",
            ] + lines + ["END:VTODO", "END:VCALENDAR", ""]
        try write(all.joined(separator: "\r\n"), to: "tasks/\(list)/\(uid).ics")
    }

    /// The paths below the task folder of the files that hold that word.
    func taskFiles(_ word: String) throws -> [String] {
        let all = FileManager.default.subpaths(atPath: root + "/tasks") ?? []
        return try all.filter { try $0.hasSuffix(".ics") && read("tasks/" + $0).contains(word) }.sorted()
    }

    /// The text of the one task file that holds that word, with its folded lines joined.
    func taskText(_ word: String) throws -> String {
        guard let path = try taskFiles(word).first else { return "" }
        return try read("tasks/" + path).replacing("\r\n ", with: "")
    }

    /// Syncs and lets the mail follow the task files; each question gets the next answer, and `later` after the last.
    func follow(
        at now: Timestamp = tuesday, _ answers: Answer...
    ) async throws -> (report: FollowReport, asked: [String]) {
        var report = FollowReport()
        var rest = answers
        var asked: [String] = []
        try await with(at: now) { session in
            let ids = try session.accounts.ids(named: nil)
            for id in ids { _ = try await session.sync.account(id) }
            report = try await session.follow.taskEdits(for: ids, allowMassDelete: false) { question in
                switch question.kind {
                case .trash: asked.append("trash \(question.summary)")
                case .link(let subject): asked.append("link \(subject)")
                case .many(let tasks): asked.append("many \(tasks)")
                }
                return rest.isEmpty ? .later : rest.removeFirst()
            }
        }
        return (report, asked)
    }
}

extension Session {
    func task(_ summary: String) throws -> TodoFile {
        guard let file = try tasks.files().files.first(where: { $0.todo.summary == summary }) else {
            throw Problem("no-such-task", exit: .notFound, message: "no task is called \(summary)")
        }
        return file
    }
}

import Models
import Testing

@testable import TaskStore

@Suite struct RepeatedTodoTests {
    private static func weekly(_ id: String, due: String, _ lines: String...) -> String {
        Folder.foreign(id, (["DUE;VALUE=DATE:\(due)"] + lines).joined(separator: "\r\n"))
    }

    private static let rule = "RRULE:FREQ=WEEKLY"

    @Test("Tasks.org completes an occurrence by moving the same task to the next date")
    func rolledForward() throws {
        let folder = try Folder()
        try folder.write("next/a.ics", Self.weekly("a", due: "20260406", Self.rule))
        let known = try folder.scan([]).files
        try folder.write("next/a.ics", Self.weekly("a", due: "20260420", Self.rule))
        #expect(
            try folder.scan(known).repeated == [
                RepeatedTodo(
                    way: .rolledForward, done: TodoID("a"), series: TodoID("a"),
                    occurrence: TodoDate("2026-04-06"))
            ])
        // On another day than the rule's it was moved by hand.
        try folder.write("next/a.ics", Self.weekly("a", due: "20260421", Self.rule))
        #expect(try folder.scan(known).repeated.isEmpty)
    }

    @Test("todoman completes the old task without its rule, and continues with a new UID")
    func cloned() throws {
        let folder = try Folder()
        try folder.write("next/a.ics", Self.weekly("a", due: "20260406", Self.rule))
        let known = try folder.scan([]).files
        try folder.write("next/a.ics", Self.weekly("a", due: "20260406", "STATUS:COMPLETED"))
        try folder.write("next/b.ics", Self.weekly("b@host", due: "20260413", Self.rule))
        let scan = try folder.scan(known)
        #expect(
            scan.repeated == [
                RepeatedTodo(
                    way: .cloned, done: TodoID("a"), series: TodoID("b@host"),
                    occurrence: TodoDate("2026-04-06"))
            ])
        #expect(
            scan.changes.map(\.shown).sorted() == ["added next/b@host", "completed next/a", "edited next/a"])
    }

    @Test("Thunderbird keeps a completed instance beside the series")
    func instance() throws {
        let folder = try Folder()
        let master = Self.weekly("a", due: "20260406", Self.rule)
        try folder.write("next/a.ics", master)
        let known = try folder.scan([]).files
        try folder.edit("next/a.ics") {
            $0.replacing(
                "END:VCALENDAR",
                with:
                    "BEGIN:VTODO\r\nUID:a\r\nRECURRENCE-ID;VALUE=DATE:20260406\r\nSTATUS:COMPLETED\r\nEND:VTODO\r\nEND:VCALENDAR"
            )
        }
        let scan = try folder.scan(known)
        #expect(scan.repeated.map(\.way) == [.instance])
        // The series itself is not done.
        #expect(scan.files.first?.todo.isOpen == true)
        #expect(!scan.changes.contains { $0.shown.hasPrefix("completed") })
    }

    @Test("a completed instance moves the start of a series to the date to do now")
    func startOfSeries() throws {
        let folder = try Folder()
        let start = "DTSTART;VALUE=DATE:20260406\r\n\(Self.rule)"
        try folder.write("next/a.ics", Folder.foreign("a", start))
        let known = try folder.scan([]).files
        try folder.edit("next/a.ics") {
            $0.replacing(
                "END:VCALENDAR",
                with:
                    "BEGIN:VTODO\r\nUID:a\r\nRECURRENCE-ID;VALUE=DATE:20260406\r\nSTATUS:COMPLETED\r\nEND:VTODO\r\nEND:VCALENDAR"
            )
        }
        let scan = try folder.scan(known)
        let starts = scan.changes.compactMap { change in
            if case .startChanged(let todo) = change { todo.start } else { nil }
        }
        #expect(starts == [TodoDate("2026-04-13")])
        // The task itself keeps the date of its file.
        #expect(scan.files.first?.todo.start == TodoDate("2026-04-06"))
        try folder.move("next/a.ics", to: "scheduled/a.ics")
        let moved = try folder.scan(scan.files).changes.compactMap { change in
            if case .movedList(let todo, from: _) = change { todo.start } else { nil }
        }
        #expect(moved == [TodoDate("2026-04-13")])
    }

    @Test("renaming a repeating task does not count as completing it")
    func renamed() throws {
        let folder = try Folder()
        try folder.write("next/a.ics", Self.weekly("a", due: "20260406", Self.rule))
        let known = try folder.scan([]).files
        try folder.edit("next/a.ics") { $0.replacing("SUMMARY:Foreign", with: "SUMMARY:Other") }
        #expect(try folder.scan(known).repeated.isEmpty)
    }
}

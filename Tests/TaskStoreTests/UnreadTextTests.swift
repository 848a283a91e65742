import Foundation
import Models
import Testing

@testable import TaskStore
@testable import TodoCalendar

/// What a merge knows of the last agreed version is enough: no line that somebody changed since is replaced, also where
/// the change is in a part of it that is not understood.
@Suite struct UnreadTextTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var base: String
        var file: String
        var patch: TodoPatch
        var conflict: TodoField?

        var testDescription: String { "\(base) → \(file)" }

        init(_ base: String, _ file: String, _ conflict: TodoField?, _ change: (inout TodoPatch) -> Void) {
            (self.base, self.file, self.conflict) = (base, file, conflict)
            patch = TodoPatch()
            change(&patch)
        }
    }

    static let rows = [
        Row("SUMMARY;LANGUAGE=en:Call", "SUMMARY;LANGUAGE=de:Call", .summary) { $0.summary = "New" },
        Row("DESCRIPTION:n", "DESCRIPTION;ALTREP=\"cid:x\":n", .notes) { $0.notes = "New" },
        Row("STATUS:NEEDS-ACTION", "STATUS:X-WAITING", .status) { $0.status = .inProcess },
        Row("PRIORITY:0", "PRIORITY:high", .priority) { $0.priority = 1 },
        Row("CONTACT:Ann", "CONTACT;X-PHONE=1:Ann", .contact) { $0.contact = "Bob" },
        Row("DUE;VALUE=DATE:20260401", "DUE;VALUE=DATE;X-A=1:20260401", .due) {
            $0.due = TodoDate("2026-05-01")
        },
        Row(
            "DTSTART:20260401T090000Z\r\nDURATION:PT1H", "DTSTART:20260401T090000Z\r\nDURATION:PT2H", .due
        ) { $0.due = TodoDate("2026-05-01T10:00:00Z") },
        Row(
            "DTSTART:20260401T090000Z\r\nDUE:20260402T090000Z",
            "DTSTART:20260401T100000Z\r\nDUE:20260402T090000Z", .due
        ) { $0.due = TodoDate("2026-05-01") },
        Row("RELATED-TO:p", "RELATED-TO;GAP=P1D:p", .parent) { $0.parent = TodoID("q") },
        // opus reads only the first line of a property.
        Row("PRIORITY:0", "PRIORITY:0\r\nPRIORITY:5", .priority) { $0.priority = 1 },
        // An earlier value is not a change.
        Row("SUMMARY;LANGUAGE=en:Call", "SUMMARY;LANGUAGE=en:Call", nil) { $0.summary = "New" },
        // Another form of the same is none either.
        Row("DUE:20260401T070000Z", "DUE;TZID=Europe/Paris:20260401T090000", nil) {
            $0.due = TodoDate("2026-05-01T10:00:00Z")
        },
        // Both made the same of it.
        Row("SUMMARY:Call", "SUMMARY;LANGUAGE=de:New", nil) { $0.summary = "New" },
        // Lines that no change of ours touches.
        Row("X-FOO;A=1:b", "X-FOO;A=2:c", nil) { $0.summary = "New" },
    ]

    @Test(
        "a change in the part of a line that opus does not read is a conflict, if opus changes the line",
        arguments: rows)
    func kept(_ row: Row) throws {
        let base = try Self.todo(Self.bytes(row.base))
        let file = try Self.todo(Self.bytes(row.file))
        let merge = TodoMerge(base: base, file: file, patch: row.patch)
        #expect(merge.conflicts == [row.conflict].compactMap(\.self))
    }

    @Test("a changed parameter alone is not an edit of the task")
    func noEdit() throws {
        let base = try Self.todo(Self.bytes("SUMMARY:Call"))
        let file = try Self.todo(Self.bytes("SUMMARY;LANGUAGE=de:Call"))
        #expect(TodoComparison.changes(from: base, to: file).isEmpty)
    }

    /// Each line of every golden file that a change of ours may replace, changed in three ways, against ours.
    @Test("a change of opus keeps every change of other programs")
    func everywhere() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../Fixtures/tasks")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".ics") }.sorted()
        var (looked, turn) = (0, 0)
        for name in names {
            let bytes = Array(try Data(contentsOf: folder.appending(path: name)))
            let base = try Self.todo(bytes)
            for (changed, line) in try Self.changed(bytes) {
                guard let file = try? Self.todo(changed) else { continue }
                turn += 1
                // In turn, so that each kind of line meets each kind of change.
                for patch in [Self.patches[turn % 6], Self.patches[turn / 6 % 6]] {
                    let rest = TodoMerge(base: base, file: file, patch: patch).patch
                    guard !rest.isEmpty,
                        let written = try? VTodoPatcher.apply(rest, to: changed, now: Folder.now)
                    else { continue }
                    looked += 1
                    #expect(try Self.lines(written).contains(line), "\(name): \(line) by \(rest)")
                }
            }
        }
        #expect(looked > 500)
    }

    private static let patches: [TodoPatch] = {
        var words = TodoPatch(status: .inProcess, summary: "New")
        words.notes = "other notes"
        words.priority = 4
        words.contact = "Zoë"
        words.parent = TodoID("new-parent")
        var cleared = TodoPatch(status: .needsAction)
        cleared.clears = [.due, .start]
        return [
            words, cleared, TodoPatch(status: .completed), TodoPatch(due: TodoDate("2027-01-01")),
            TodoPatch(due: TodoDate("2027-01-01T09:00:00Z")),
            TodoPatch(start: TodoDate("2026-01-01"), due: TodoDate("2027-01-01")),
        ]
    }()

    private static func todo(_ bytes: [UInt8]) throws -> Todo {
        try VTodoReader.read(bytes, list: .next).todo
    }

    private static func bytes(_ lines: String) -> [UInt8] {
        Array(
            "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VTODO\r\nUID:u\r\n\(lines)\r\nEND:VTODO\r\nEND:VCALENDAR\r\n"
                .utf8)
    }

    /// Unfolded.
    private static func lines(_ bytes: [UInt8]) throws -> [String] {
        try ContentLine.split(bytes).map { String(decoding: $0.unfolded(in: bytes), as: UTF8.self) }
    }

    /// The file with one line of the task changed: another parameter, another value, the line once more. And that line.
    private static func changed(_ bytes: [UInt8]) throws -> [(bytes: [UInt8], line: String)] {
        let outline = try CalendarOutline(bytes)
        var found: [(bytes: [UInt8], line: String)] = []
        for index in outline.ownLines(of: try outline.task().master) {
            let line = outline.lines[index]
            // Contexts are merged word by word; the others are what a patch replaces.
            guard
                [
                    "SUMMARY", "DESCRIPTION", "STATUS", "COMPLETED", "PERCENT-COMPLETE", "DTSTART", "DUE",
                    "DURATION", "PRIORITY", "CONTACT", "RELATED-TO", "X-FOO",
                ].contains(line.name)
            else { continue }
            let text = String(decoding: line.unfolded(in: bytes), as: UTF8.self)
            guard !text.contains("DEPENDS-ON"), let end = text.firstIndex(where: { $0 == ":" || $0 == ";" })
            else { continue }
            let rest = text[end...]
            let odd = "\(line.name);X-ODD=1:x-odd"
            for new in ["\(line.name);X-ODD=1\(rest)", odd] {
                found.append(
                    (
                        Array(bytes[..<line.range.lowerBound]) + Array((new + "\r\n").utf8)
                            + Array(bytes[line.range.upperBound...]), new
                    ))
            }
            found.append(
                (
                    Array(bytes[..<line.range.upperBound]) + Array((odd + "\r\n").utf8)
                        + Array(bytes[line.range.upperBound...]), odd
                ))
        }
        return found
    }
}

import Foundation
import Models
import Testing

@testable import TodoCalendar

/// Task files as other programs write them (`Tests/Fixtures/tasks`): read, patched, and every other byte the same.
@Suite struct GoldenFileTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../Fixtures/tasks")

    struct Golden: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var bytes: [UInt8]
    }

    static let files: [Golden] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".ics") }.sorted().compactMap { name in
            (try? Data(contentsOf: folder.appending(path: name))).map {
                Golden(testDescription: String(name.dropLast(4)), bytes: Array($0))
            }
        }
    }()

    /// The words of one task on one line, for `expected.txt`.
    static func line(_ file: Golden) throws -> String {
        let read = try VTodoReader.read(file.bytes, list: .next)
        let todo = read.todo
        var words = [file.testDescription, todo.isCompleted ? "completed" : todo.status.rawValue]
        if let percent = todo.percentComplete { words.append("\(percent)%") }
        if todo.priority > 0 { words.append("!\(todo.priority)") }
        if let start = todo.start { words.append("start=\(start.text)") }
        if let due = todo.due { words.append("due=\(due.text)") }
        if case .local(let local, zone: .some(let zone)) = todo.due {
            words.append("at=\(ZoneClock.instant(of: local, in: zone)?.rfc3339 ?? "unknown")")
        }
        if !todo.categories.isEmpty { words.append("categories=" + todo.categories.joined(separator: "|")) }
        if let contact = todo.contact { words.append("contact=" + contact) }
        if let parent = todo.parent { words.append("parent=\(parent)") }
        if !todo.dependsOn.isEmpty { words.append("after=\(todo.dependsOn)") }
        if let rule = todo.recurrence { words.append(rule) }
        if !todo.doneInstances.isEmpty { words.append("done=\(todo.doneInstances)") }
        if let alarm = todo.alarmSecondsBefore { words.append("alarm=\(alarm)") }
        if let mail = todo.messageID { words.append("mail=\(mail)") }
        if read.isInstance { words.append("instance") }
        return (words + ["“\(todo.summary)”"]).joined(separator: " ")
    }

    @Test("there are at least sixty sample files of nine programs")
    func many() {
        #expect(Self.files.count >= 60)
        let programs = Set(Self.files.map { $0.testDescription.prefix { $0 != "-" } })
        #expect(
            programs.isSuperset(of: [
                "tasksorg", "nextcloud", "thunderbird", "evolution", "apple", "outlook", "todoman", "davx5",
                "jtx",
            ]))
    }

    @Test("each sample file is read as expected.txt says")
    func understood() throws {
        let lines = try Self.files.map { try Self.line($0) }
        let place = Self.folder.appending(path: "expected.txt")
        if ProcessInfo.processInfo.environment["OPUS_UPDATE_GOLDEN"] != nil {
            try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: place)
        }
        let expected = String(decoding: try Data(contentsOf: place), as: UTF8.self).split(separator: "\n")
        #expect(lines == expected.map(String.init))
    }

    @Test("a patch with the present values changes no byte", arguments: files)
    func nothing(_ file: Golden) throws {
        let todo = try Samples.read(file.bytes)
        let same = TodoPatch(
            status: todo.isCompleted ? nil : todo.status, start: todo.start, due: todo.due,
            summary: todo.summary)
        #expect(try VTodoPatcher.apply(TodoPatch(), to: file.bytes, now: Samples.now) == file.bytes)
        #expect(try VTodoPatcher.apply(same, to: file.bytes, now: Samples.now) == file.bytes)
    }

    struct Change: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var patch: TodoPatch
        var names: Set<String>

        init(_ name: String, _ names: Set<String>, _ change: (inout TodoPatch) -> Void) {
            testDescription = name
            self.names = names
            patch = TodoPatch()
            change(&patch)
        }
    }

    static let bookkeeping: Set<String> = ["DTSTAMP", "LAST-MODIFIED", "SEQUENCE"]

    static let changes: [Change] = [
        Change("title", ["SUMMARY"]) { $0.summary = "Neu — 日本語, with \\ ; and\nmore" },
        Change("notes", ["DESCRIPTION"]) { $0.notes = "one\ntwo" },
        Change("done", ["STATUS", "COMPLETED", "PERCENT-COMPLETE"]) { $0.status = .completed },
        Change("reopened", ["STATUS", "COMPLETED", "PERCENT-COMPLETE"]) { $0.status = .needsAction },
        Change("started", ["STATUS", "COMPLETED", "PERCENT-COMPLETE"]) { $0.status = .inProcess },
        Change("dropped", ["STATUS", "COMPLETED", "PERCENT-COMPLETE"]) { $0.status = .cancelled },
        // A start keeps the kind of the due date.
        Change("due", ["DUE", "DTSTART", "DURATION", "X-OPUS-TZ"]) { $0.due = TodoDate("2026-12-24") },
        Change("due at a time", ["DUE", "DTSTART", "DURATION", "X-OPUS-TZ"]) {
            $0.due = TodoDate("2026-12-24T10:00:00Z")
        },
        Change("dates away", ["DUE", "DTSTART", "DURATION"]) { $0.clears = [.due, .start] },
        Change("priority", ["PRIORITY"]) { $0.priority = 4 },
        Change("contexts", ["CATEGORIES", "X-OPUS-CONTEXT"]) { $0.categories = ["@new", "word"] },
        Change("contact", ["CONTACT"]) { $0.contact = "Zoë, Inc." },
        Change("parent", ["RELATED-TO"]) { $0.parent = TodoID("new-parent") },
        Change("blocked", ["RELATED-TO"]) { $0.dependsOn = [TodoID("first")] },
    ]

    @Test("a patch changes only the lines of its properties", arguments: files)
    func patched(_ file: Golden) throws {
        var written = 0
        for change in Self.changes {
            guard let patched = try Self.patched(file.bytes, change.patch), patched != file.bytes else {
                continue
            }
            written += 1
            let names = change.names.union(Self.bookkeeping)
            #expect(
                try Self.others(patched, names) == Self.others(file.bytes, names), "\(change.testDescription)"
            )
            // Nothing that libical cannot take came in, and the task is the same one.
            #expect(try VTodoReader.read(patched, list: .next).todo.id == Samples.read(file.bytes).id)
            #expect(
                Libical.run { Libical.errorCount(patched) } ?? 1 <= Libical.run {
                    Libical.errorCount(file.bytes)
                } ?? 0)
            // A repetition changes nothing.
            #expect(try VTodoPatcher.apply(change.patch, to: patched, now: Samples.now + 60) == patched)
        }
        #expect(written >= 6)
    }

    /// nil where a patch is refused for a reason.
    static func patched(_ bytes: [UInt8], _ patch: TodoPatch) throws -> [UInt8]? {
        do {
            return try VTodoPatcher.apply(patch, to: bytes, now: Samples.now)
        } catch let error {
            guard [.repeats, .startNotBeforeDue].contains(error.code) else { throw error }
            return nil
        }
    }

    /// The raw bytes of all lines but those of these names in the task itself.
    static func others(_ bytes: [UInt8], _ names: Set<String>) throws -> [[UInt8]] {
        let outline = try CalendarOutline(bytes)
        let master = try outline.task().master
        return outline.lines.indices.filter {
            outline.owners[$0] != master || !names.contains(outline.lines[$0].name)
        }.map { Array(bytes[outline.lines[$0].range]) }
    }
}

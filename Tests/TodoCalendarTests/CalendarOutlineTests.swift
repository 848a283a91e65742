import Models
import Testing

@testable import TodoCalendar

@Suite struct CalendarOutlineTests {
    struct Broken: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var text: String
        var error: CalendarError

        init(_ name: String, _ text: String, _ code: CalendarError.Code, line: Int) {
            testDescription = name
            self.text = text
            error = CalendarError(code, line: line)
        }
    }

    @Test(
        "a file that is not a task is reported with reason and place",
        arguments: [
            Broken("nothing", "", .empty, line: 1),
            Broken("blank lines only", "\r\n\r\n", .empty, line: 1),
            Broken("not iCalendar", "# notes\n", .notAContentLine, line: 1),
            Broken("a property outside", "UID:1\n", .notICalendar, line: 1),
            Broken("a bare VTODO", "BEGIN:VTODO\nUID:1\nEND:VTODO\n", .notICalendar, line: 1),
            Broken("text after the end", "BEGIN:VCALENDAR\nEND:VCALENDAR\nX:1\n", .notICalendar, line: 3),
            Broken("an END too many", "BEGIN:VCALENDAR\nEND:VCALENDAR\nEND:X\n", .notICalendar, line: 3),
            Broken(
                "cut short in the task", "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:1\n",
                .unterminated(component: "VTODO"), line: 2),
            Broken(
                "cut short after the task", "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:1\nEND:VTODO\n",
                .unterminated(component: "VCALENDAR"), line: 1),
            Broken(
                "the wrong END", "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:1\nEND:VEVENT\nEND:VCALENDAR\n",
                .mismatchedEnd(expected: "VTODO", found: "VEVENT"), line: 4),
            Broken(
                "an event", "BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VEVENT\nEND:VCALENDAR\n", .onlyEvents(1),
                line: 1),
            Broken("a calendar with nothing in it", "BEGIN:VCALENDAR\nEND:VCALENDAR\n", .noTodo, line: 1),
            Broken(
                "two tasks",
                "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:1\nEND:VTODO\nBEGIN:VTODO\nUID:2\nEND:VTODO\nEND:VCALENDAR",
                .severalTodos, line: 5),
            Broken(
                "the same task twice",
                "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:1\nEND:VTODO\nBEGIN:VTODO\nUID:1\nEND:VTODO\nEND:VCALENDAR",
                .sameUID, line: 5),
            Broken(
                "two calendars of two tasks",
                "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:1\nEND:VTODO\nEND:VCALENDAR\n"
                    + "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:2\nEND:VTODO\nEND:VCALENDAR\n",
                .severalTodos, line: 7),
            Broken("no UID", "BEGIN:VCALENDAR\nBEGIN:VTODO\nEND:VTODO\nEND:VCALENDAR\n", .noUID, line: 2),
            Broken(
                "an empty UID", "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:\nEND:VTODO\nEND:VCALENDAR\n", .noUID,
                line: 2),
            Broken(
                "a merge marker",
                "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:1\n<<<<<<< HEAD\nEND:VTODO\nEND:VCALENDAR\n",
                .notAContentLine, line: 4),
            Broken(
                "a line number counts folded lines", "BEGIN:VCALENDAR\nX-A:1\n 2\n 3\n?\nEND:VCALENDAR\n",
                .notAContentLine, line: 5),
            Broken("a NUL", "BEGIN:VCALENDAR\nX-A:\u{0}\nEND:VCALENDAR\n", .notText, line: 2),
            Broken(
                "nested deep", String(repeating: "BEGIN:VCALENDAR\n", count: 9), .nestedTooDeep(maximum: 8),
                line: 9),
        ])
    func broken(_ file: Broken) {
        #expect(throws: file.error) { try VTodoReader.read(Array(file.text.utf8), list: .next) }
    }

    @Test("every byte belongs to a line")
    func bytesAreKept() throws {
        for bytes in [Samples.odd, Samples.odd.filter { $0 != 0x0D }, Samples.odd.dropLast(2) + []] {
            let joined = try ContentLine.split(bytes).flatMap { bytes[$0.range] }
            #expect(joined == bytes)
        }
    }

    @Test("a property name is read when folded, in lower case or after a byte order mark")
    func oddNames() throws {
        let text =
            "\u{FEFF}begin:vcalendar\r\nBEGIN:vtodo\r\nU\r\n ID:x1\r\nsum\r\n\tmary:A\r\n B\r\nEND:VTODO\r\nend:VCALENDAR"
        let todo = try Samples.read(Array(text.utf8))
        #expect(todo.id == TodoID("x1"))
        #expect(todo.summary == "AB")
    }

    @Test("a line of megabytes and deep nesting are refused before libical reads them")
    func hostileSizes() {
        let clock = ContinuousClock()
        let longFile = Array("BEGIN:VCALENDAR\nX:".utf8) + [UInt8](repeating: 0x61, count: 4 << 20)
        let longLine = Array("BEGIN:VCALENDAR\nX:".utf8) + [UInt8](repeating: 0x61, count: 300 << 10)
        let deep = Array(String(repeating: "BEGIN:X\n", count: 200_000).utf8)
        let nest = Array(("BEGIN:VCALENDAR\n" + String(repeating: "BEGIN:X\n", count: 100_000)).utf8)
        let time = clock.measure {
            #expect(throws: CalendarError(.fileTooLarge(bytes: longFile.count, maximum: 1 << 20))) {
                try VTodoReader.read(longFile, list: .next)
            }
            #expect(throws: CalendarError(.lineTooLong(maximum: 256 << 10), line: 2)) {
                try VTodoReader.read(longLine, list: .next)
            }
            #expect(throws: CalendarError.self) { try VTodoReader.read(deep, list: .next) }
            #expect(throws: CalendarError(.nestedTooDeep(maximum: 8), line: 9)) {
                try VTodoReader.read(nest, list: .next)
            }
        }
        #expect(time < .seconds(30))
    }
}

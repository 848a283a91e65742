import Models
import Testing

@testable import TodoCalendar

@Suite struct VTodoWriterTests {
    static func full() throws -> Todo {
        var todo = Todo(id: TodoID("0f3c-1"), list: .waiting, summary: "Quote, from Ann; soon")
        todo.notes = "First line\r\nback\\slash, comma; end"
        todo.priority = 5
        todo.due = .date(try #require(CalendarDate("2026-04-10")))
        todo.start = .date(try #require(CalendarDate("2026-04-03")))
        todo.categories = ["@office", "waiting", "@Office", "a,b"]
        todo.contact = "Ann <ann@example.org>"
        todo.parent = TodoID("p1")
        todo.alarmSecondsBefore = 5_400
        todo.messageID = MessageID("abc/1@example.org")
        todo.account = AccountID("work")
        todo.rule = "quotes"
        todo.timeZone = "Europe/Paris"
        todo.waitingOn = "ann@example.org"
        todo.delegatedMessageID = MessageID("d1@example.org")
        return todo
    }

    @Test("a new task gives the expected file")
    func golden() throws {
        let expected = """
            BEGIN:VCALENDAR
            VERSION:2.0
            PRODID:-//Magnum Opus//opus//EN
            BEGIN:VTODO
            UID:0f3c-1
            DTSTAMP:20260331T150000Z
            CREATED:20260331T150000Z
            LAST-MODIFIED:20260331T150000Z
            SUMMARY:Quote\\, from Ann\\; soon
            DESCRIPTION:First line\\nback\\\\slash\\, comma\\; end\\n\\nMail: <mid:abc%2F1@exa
             mple.org>
            URL:mid:abc%2F1@example.org
            STATUS:NEEDS-ACTION
            PRIORITY:5
            DTSTART;VALUE=DATE:20260403
            DUE;VALUE=DATE:20260410
            CATEGORIES:@office,waiting,a b
            CONTACT:Ann <ann@example.org>
            RELATED-TO;RELTYPE=PARENT:p1
            X-OPUS-MESSAGE-ID:abc/1@example.org
            X-OPUS-ACCOUNT:work
            X-OPUS-RULE:quotes
            X-OPUS-CONTEXT:@office\\,waiting\\,a b
            X-OPUS-TZ:Europe/Paris
            X-OPUS-WAITING-ON:ann@example.org
            X-OPUS-DELEGATED-MID:d1@example.org
            BEGIN:VALARM
            ACTION:DISPLAY
            DESCRIPTION:Quote\\, from Ann\\; soon
            TRIGGER;RELATED=END:-PT1H30M
            END:VALARM
            END:VTODO
            END:VCALENDAR

            """.replacing("\n", with: "\r\n")
        let bytes = try VTodoWriter.new(Self.full(), now: Samples.now)
        #expect(Samples.text(bytes) == expected)
    }

    @Test("a written task is read back unchanged")
    func readsBack() throws {
        var expected = try Self.full()
        let read = try VTodoReader.read(VTodoWriter.new(expected, now: Samples.now), list: .waiting).todo
        expected.notes = "First line\nback\\slash, comma; end\n\nMail: <mid:abc%2F1@example.org>"
        expected.url = "mid:abc%2F1@example.org"
        expected.categories = ["@office", "waiting", "a b"]
        expected.created = Samples.now
        #expect(read == expected)
    }

    @Test("a task without mail, dates and people has no empty lines")
    func sparse() throws {
        let todo = Todo(id: TodoID("u"), list: .inbox, summary: "")
        let lines = try Samples.lines(VTodoWriter.new(todo, now: Samples.now))
        #expect(
            lines.dropFirst(4).dropLast(2) == [
                "UID:u", "DTSTAMP:20260331T150000Z", "CREATED:20260331T150000Z",
                "LAST-MODIFIED:20260331T150000Z",
                "SUMMARY:(no subject)", "STATUS:NEEDS-ACTION",
            ])
        #expect(lines.allSatisfy { !$0.hasSuffix(":") })
        #expect(!lines.contains { $0.hasPrefix("X-OPUS") || $0.hasPrefix("DESCRIPTION") })
    }

    @Test(
        "lines have at most 75 octets, break between characters, and are read back",
        arguments: [
            String(repeating: "日", count: 80), String(repeating: "x", count: 500),
            String(repeating: "👩‍👩‍👧 ", count: 40), String(repeating: "e\u{301}", count: 100),
        ])
    func folding(_ text: String) throws {
        var todo = Todo(id: TodoID("u"), list: .inbox, summary: text)
        todo.notes = text
        let bytes = try VTodoWriter.new(todo, now: Samples.now)
        for line in bytes.split(separator: 0x0A) {
            #expect(line.last == 0x0D)
            #expect(line.dropLast().count <= 75)
            #expect(String(validating: line, as: UTF8.self) != nil)
        }
        let read = try Samples.read(bytes)
        #expect(read.summary == text.trimmingSuffix(" "))
        #expect(read.notes == text.trimmingSuffix(" "))
    }

    @Test("lines are folded as calendar servers fold them: at 75 octets, and nowhere else")
    func folds() throws {
        for length in [66, 67, 68, 141, 142] {
            let text = String(repeating: "word ", count: 40).prefix(length - 1) + "x"
            let bytes = try VTodoWriter.new(
                Todo(id: TodoID("u"), list: .inbox, summary: String(text)), now: Samples.now)
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").map(String.init)
            let first = try #require(lines.firstIndex { $0.hasPrefix("SUMMARY:") })
            let rest = lines[(first + 1)...].prefix { $0.hasPrefix(" ") }
            #expect(([lines[first]] + rest).dropLast().allSatisfy { $0.utf8.count == 75 }, "\(length)")
            #expect(rest.count == (length + 8 > 149 ? 2 : length + 8 > 75 ? 1 : 0), "\(length)")
        }
    }

    @Test("opus's own values keep their commas and semicolons where a server ends a value at them")
    func ownValues() throws {
        var todo = Todo(id: TodoID("u"), list: .waiting, summary: "s")
        todo.waitingOn = "ann@example.org,bob@example.org"
        todo.categories = ["@office", "red"]
        todo.messageID = MessageID("a,b;c\\d@example.org")
        let bytes = try VTodoWriter.new(todo, now: Samples.now)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("X-OPUS-WAITING-ON:ann@example.org\\,bob@example.org\r\n"))
        #expect(text.contains("X-OPUS-CONTEXT:@office\\,red\r\n"))
        #expect(text.contains("X-OPUS-MESSAGE-ID:a\\,b\\;c\\\\d@example.org\r\n"))
        let read = try Samples.read(bytes)
        #expect(read.waitingOn == todo.waitingOn && read.messageID == todo.messageID)
        // As older versions wrote it.
        let older = text.replacing("org\\,bob", with: "org,bob")
        #expect(try Samples.read(Array(older.utf8)).waitingOn == todo.waitingOn)
    }

    @Test("control characters in a foreign subject do not break the file")
    func hostileText() throws {
        var todo = Todo(
            id: TodoID("u"), list: .inbox, summary: "a\r\nSTATUS:COMPLETED\u{0}\u{1B}[2J\u{85}b\tc")
        todo.notes = "x\r\nEND:VTODO\u{7}\ry\u{2028}z\n\n"
        todo.contact = "Ann\nBcc: x"
        todo.rule = "r\r\nDUE:20260101"
        todo.categories = ["a\nb", ",", " "]
        todo.messageID = MessageID("a\r\nX@x")
        let bytes = try VTodoWriter.new(todo, now: Samples.now)
        #expect(bytes.allSatisfy { $0 >= 0x20 || $0 == 0x0D || $0 == 0x0A })
        let read = try Samples.read(bytes)
        #expect(read.summary == "a STATUS:COMPLETED [2J b c")
        #expect(read.notes.hasPrefix("x\nEND:VTODO\ny\nz"))
        #expect(read.contact == "Ann Bcc: x")
        #expect(read.rule == "r DUE:20260101")
        #expect(read.categories == ["a b"])
        #expect(read.isOpen)
        #expect(read.due == nil)
    }

    @Test("very long texts are cut to what the reader accepts")
    func hugeText() throws {
        var todo = Todo(id: TodoID("u"), list: .inbox, summary: String(repeating: ";", count: 1_000_000))
        todo.notes = String(repeating: "\\", count: 2_000_000)
        todo.messageID = MessageID("a@x")
        let read = try Samples.read(VTodoWriter.new(todo, now: Samples.now))
        #expect(read.summary.utf8.count == CleanText.lineBytes)
        #expect(read.messageID == MessageID("a@x"))
    }

    @Test("a completed task has all three signs")
    func done() throws {
        var todo = Todo(id: TodoID("u"), list: .inbox, summary: "s")
        todo.percentComplete = 100
        let text = Samples.text(try VTodoWriter.new(todo, now: Samples.now))
        #expect(text.contains("STATUS:COMPLETED\r\nCOMPLETED:20260331T150000Z\r\nPERCENT-COMPLETE:100\r\n"))
    }

    struct Pair: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var start: TodoDate?
        var due: TodoDate?
        var lines: [String]

        init(_ name: String, start: TodoDate?, due: TodoDate?, _ lines: String...) {
            testDescription = name
            self.start = start
            self.due = due
            self.lines = lines
        }
    }

    static let day = CalendarDate(daysSinceEpoch: 20_543)  // 2026-03-31
    static func nine(_ days: Int, zone: String?) -> TodoDate {
        .local(LocalDateTime(date: day.adding(days: days), hour: 9, minute: 0), zone: zone)
    }

    @Test(
        "the start is before the due date and of its type, or is left out",
        arguments: [
            Pair("a start alone", start: .date(day), due: nil, "DTSTART;VALUE=DATE:20260331"),
            Pair("the same day", start: .date(day), due: .date(day), "DUE;VALUE=DATE:20260331"),
            Pair("after it", start: .date(day.adding(days: 1)), due: .date(day), "DUE;VALUE=DATE:20260331"),
            Pair(
                "a time before a day", start: nine(-1, zone: "Europe/Paris"), due: .date(day),
                "DTSTART;VALUE=DATE:20260330", "DUE;VALUE=DATE:20260331", "X-OPUS-TZ:Europe/Paris"),
            Pair(
                "a day before a time", start: .date(day), due: nine(0, zone: "Europe/Paris"),
                "DTSTART:20260330T220000Z", "DUE:20260331T070000Z", "X-OPUS-TZ:Europe/Paris"),
            Pair(
                "zoned times are UTC", start: nine(-7, zone: "Europe/Paris"),
                due: nine(0, zone: "Europe/Paris"),
                "DTSTART:20260324T080000Z", "DUE:20260331T070000Z", "X-OPUS-TZ:Europe/Paris"),
            Pair(
                "floating stays floating", start: nine(-1, zone: nil), due: nine(0, zone: nil),
                "DTSTART:20260330T090000", "DUE:20260331T090000"),
        ])
    func starts(_ pair: Pair) throws {
        var todo = Todo(id: TodoID("u"), list: .inbox, summary: "s")
        todo.start = pair.start
        todo.due = pair.due
        let lines = try Samples.lines(VTodoWriter.new(todo, now: Samples.now))
        #expect(
            lines.filter { $0.hasPrefix("DTSTART") || $0.hasPrefix("DUE") || $0.hasPrefix("X-") }
                == pair.lines)
    }
}

extension String {
    func trimmingSuffix(_ character: Character) -> String {
        var text = self
        while text.last == character { text.removeLast() }
        return text
    }

    @Test("a repeating task keeps its zone, which the file defines, and its rule is read back")
    func repeating() throws {
        var todo = Todo(id: TodoID("u1"), list: .next, summary: "Standup")
        todo.start = TodoDate("2026-03-02T09:00:00[W. Europe Standard Time]")
        todo.due = TodoDate("2026-03-02T10:00:00[Europe/Berlin]")
        todo.recurrence = "FREQ=WEEKLY;BYDAY=MO"
        let bytes = try VTodoWriter.new(todo, now: Samples.now)
        let lines = try Samples.lines(bytes)
        #expect(lines.contains("DTSTART;TZID=Europe/Berlin:20260302T090000"))
        #expect(lines.contains("DUE;TZID=Europe/Berlin:20260302T100000"))
        #expect(lines.contains("RRULE:FREQ=WEEKLY;BYDAY=MO"))
        #expect(lines.filter { $0 == "BEGIN:VTIMEZONE" }.count == 1)
        #expect(lines.contains("TZID:Europe/Berlin"))
        #expect(try Samples.read(bytes).recurrence == "FREQ=WEEKLY;BYDAY=MO")
        todo.recurrence = "FREQ=SECONDLY"
        #expect(throws: CalendarError(.badRule)) { try VTodoWriter.new(todo, now: Samples.now) }
    }
}

import Models
import Testing

@testable import TodoCalendar

@Suite struct VTodoReaderTests {
    @Test("lines that libical drops do not disturb the task")
    func oddFile() throws {
        let file = try VTodoReader.read(Samples.odd, list: .next)
        let todo = file.todo
        #expect(file.line == 13)
        #expect(todo.id == TodoID("../../etc/passwd"))
        #expect(todo.list == .next)
        #expect(todo.summary == "Angebot für Ännchen")
        #expect(todo.notes == "one\ntwo, three")
        #expect(todo.categories == ["work", "@office", "a", "b", "home"])
        #expect(todo.status == .needsAction)
        #expect(todo.priority == 0)
        #expect(todo.start == nil)
        #expect(todo.parent == nil || todo.parent == TodoID("https://example.org/y"))
        #expect(todo.alarmSecondsBefore == 1_800)
        let nine = try #require(CalendarDate(year: 2026, month: 4, day: 10))
        #expect(todo.due == .local(LocalDateTime(date: nine, hour: 9, minute: 0), zone: "Europe/Paris"))
    }

    struct Line: Sendable, CustomTestStringConvertible {
        var testDescription: String { line }
        var line: String
        var expected: String

        init(_ line: String, _ expected: String) {
            self.line = line
            self.expected = expected
        }
    }

    @Test(
        "dates keep the form of the file, and invalid dates are ignored",
        arguments: [
            Line("DUE;VALUE=DATE:20260331", "date 2026-03-31"),
            Line("DUE:20260331", "date 2026-03-31"),
            Line("DUE:2026-03-31", "date 2026-03-31"),
            Line("DUE:20260331T150000Z", "instant 2026-03-31T15:00:00Z"),
            Line("DUE:20260331T150000", "floating 2026-03-31 15:00:00"),
            Line("DUE;TZID=Europe/Paris:20260331T150000", "Europe/Paris 2026-03-31 15:00:00"),
            Line(
                "DUE;TZID=\"W. Europe Standard Time\":20260331T150000",
                "W. Europe Standard Time 2026-03-31 15:00:00"),
            Line("DUE:20261331T250000", "none"),
            Line("DUE:20260230", "none"),
            Line("DUE;VALUE=DATE:00000000", "none"),
            Line("DUE:tomorrow", "none"),
            Line("DUE:", "none"),
            Line("DUE;VALUE=TEXT:20260331", "date 2026-03-31"),
        ])
    func dates(_ line: Line) throws {
        let shown =
            switch try Samples.read(Samples.task(line.line)).due {
            case nil: "none"
            case .date(let day): "date \(day)"
            case .instant(let instant): "instant \(instant.rfc3339)"
            case .local(let local, zone: let zone): "\(zone ?? "floating") \(local.date) \(local.clock)"
            }
        #expect(shown == line.expected)
    }

    @Test(
        "any of the three signs completes a task, and invalid ones do not",
        arguments: [
            ("STATUS:COMPLETED", true), ("status:completed", true), ("COMPLETED:20260331T150000Z", true),
            ("COMPLETED:20260331", true), ("PERCENT-COMPLETE:100", true), ("PERCENT-COMPLETE:99", false),
            ("PERCENT-COMPLETE:999", false), ("PERCENT-COMPLETE:-1", false), ("STATUS:CANCELLED", false),
            ("STATUS:DONE", false), ("STATUS:", false), ("COMPLETED:", false), ("COMPLETED:yes", false),
        ])
    func completion(_ line: String, _ isDone: Bool) throws {
        #expect(try Samples.read(Samples.task(line)).isCompleted == isDone)
    }

    struct Linked: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var lines: [String]
        var expected: String?

        init(_ name: String, _ lines: String..., to expected: String?) {
            testDescription = name
            self.lines = lines
            self.expected = expected
        }
    }

    @Test(
        "the mail is found by the most trusted link",
        arguments: [
            Linked("ours first", "URL:mid:b@x", "X-OPUS-MESSAGE-ID:a@x", to: "a@x"),
            Linked("ours with brackets", "X-OPUS-MESSAGE-ID:<a@x>", to: "a@x"),
            Linked("then URL", "DESCRIPTION:Mail: <mid:c@x>", "URL:mid:b@x", to: "b@x"),
            Linked("a URL encoded", "URL:mid:a%2Fb%25c@x", to: "a/b%c@x"),
            Linked("a URL with a part", "URL:mid:a@x/part2@x", to: "a@x"),
            Linked("a URL in brackets", "URL;VALUE=URI:<MID:a@x>", to: "a@x"),
            Linked("another URL", "URL:https://example.org/mid:a@x", "DESCRIPTION:mid:c@x", to: "c@x"),
            Linked("the last line of the notes", "DESCRIPTION:mid:a@x\\n\\nMail: <mid:b@x>\\n", to: "b@x"),
            Linked("not the middle of a word", "DESCRIPTION:pyramid:a@x", to: nil),
            Linked("an attachment", "ATTACH;FMTTYPE=message/rfc822:mid:d@x", to: "d@x"),
            Linked("an attachment of bytes", "ATTACH;ENCODING=BASE64;VALUE=BINARY:bWlkOg==", to: nil),
            Linked("an empty link", "URL:mid:", "X-OPUS-MESSAGE-ID:", to: nil),
            Linked("control characters", "URL:mid:a%0D%0Ab@x", to: nil),
        ])
    func links(_ linked: Linked) throws {
        let todo = try Samples.read(Samples.file(["UID:u1", "SUMMARY:s"] + linked.lines))
        #expect(todo.messageID == linked.expected.map { MessageID($0) })
    }

    @Test("the line with the state of a wait names the answer, not the mail of the task")
    func waitLine() {
        let answered = "Wait: answered 2026-03-10 by Bob: <mid:a@x>"
        #expect(MailLink.messageID(notes: answered) == nil)
        #expect(MailLink.messageID(notes: "See mid:q@x\r\n\r\n" + answered) == MessageID("q@x"))
        #expect(MailLink.messageID(notes: "Please Wait: <mid:q@x>") == MessageID("q@x"))
    }

    @Test(
        "a link is read back whatever the Message-ID contains",
        arguments: [
            "a@x", "a/b?c#d%e@x", "CAF=+_-.~!*@mail.example.org", "ü@x", "a b@x",
            "with\"quote'(,;:)@[1.2.3.4]",
        ])
    func linkRoundTrip(_ id: String) {
        let url = MailLink.url(MessageID(id))
        #expect(MailLink.messageID(url: url) == MessageID(id))
        #expect(MailLink.messageID(notes: "see:\n" + MailLink.note(MessageID(id))) == MessageID(id))
        #expect(url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    }

    @Test("a file rewritten by todoman is the same task")
    func rewritten() throws {
        var todo = Todo(id: TodoID("u1"), list: .next, summary: "Call, Ann")
        todo.categories = ["@phone", "work"]
        todo.messageID = MessageID("a@x")
        todo.due = .instant(Samples.now)
        todo.parent = TodoID("p1")
        let written = try Samples.read(VTodoWriter.new(todo, now: Samples.now))
        // Sorted by name, CATEGORIES lost, SEQUENCE and LAST-MODIFIED added.
        let rewritten = try Samples.rawLines(VTodoWriter.new(todo, now: Samples.now))
        let inside = rewritten.filter {
            !$0.hasPrefix("BEGIN") && !$0.hasPrefix("END") && !$0.hasPrefix("CATEGORIES")
        }
        .map { $0.replacing("\r\n", with: "") }
        let bytes = Samples.file((inside.dropFirst(2) + ["SEQUENCE:2"]).sorted())
        #expect(try Samples.read(bytes) == written)
        #expect(written.categories == ["@phone", "work"])
    }

    @Test("contexts are read from CATEGORIES, or else from the line of opus")
    func contexts() throws {
        let todo = try Samples.read(
            Samples.task("X-OPUS-CONTEXT:@Home\\,calls", "CATEGORIES:@home,errand", "CATEGORIES:@Home"))
        #expect(todo.categories == ["@home", "errand"])
        #expect(
            try Samples.read(Samples.task("X-OPUS-CONTEXT:@Home\\,calls")).categories == ["@Home", "calls"])
    }

    @Test("only RELTYPE=PARENT, or no RELTYPE, names the parent")
    func parents() throws {
        #expect(
            try Samples.read(Samples.task("RELATED-TO;RELTYPE=DEPENDS-ON:a", "RELATED-TO:b")).parent
                == TodoID("b"))
        #expect(try Samples.read(Samples.task("RELATED-TO;RELTYPE=parent:c")).parent == TodoID("c"))
        #expect(try Samples.read(Samples.task("RELATED-TO;RELTYPE=CHILD:c")).parent == nil)
    }

    @Test("a recurrence is recognised and not expanded")
    func recurrence() throws {
        let clock = ContinuousClock()
        let time = try clock.measure {
            let file = try VTodoReader.read(
                Samples.task("DTSTART:20260101T000000Z", "RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30"),
                list: .next)
            #expect(file.repeats)
        }
        #expect(time < .seconds(20))
        #expect(try !VTodoReader.read(Samples.task(), list: .next).repeats)
    }

    @Test("a changed instance is not read as its series")
    func instances() throws {
        let lines = [
            "UID:u1", "RECURRENCE-ID:20260102T000000Z", "SUMMARY:instance", "STATUS:COMPLETED", "END:VTODO",
            "BEGIN:VTODO", "UID:u1", "RRULE:FREQ=DAILY", "SUMMARY:series",
        ]
        let file = try VTodoReader.read(Samples.file(lines), list: .next)
        #expect(file.todo.summary == "series")
        #expect(file.todo.isOpen)
        #expect(file.hasInstances)
        #expect(!file.isInstance)
        let alone = try VTodoReader.read(Samples.file(Array(lines.prefix(4))), list: .next)
        #expect(alone.isInstance)
    }

    @Test("the UID of an unreadable file is read from its UID line")
    func guess() {
        #expect(VTodoReader.guessUID(Array("BEGIN:VCALENDAR\r\nUID:a-1\r\nSUMM".utf8)) == TodoID("a-1"))
        #expect(VTodoReader.guessUID(Array("BEGIN:VCALENDAR\r\n".utf8)) == nil)
    }
}

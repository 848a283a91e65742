import CLibical
public import Models

/// One VTODO as it was read.
public struct VTodo: Hashable, Sendable {
    public var todo: Todo
    /// Where its `BEGIN:VTODO` stands, 1-based.
    public var line: Int
    /// Has RRULE or RDATE.
    public var repeats: Bool
    /// The file changes single instances of the series (RECURRENCE-ID).
    public var hasInstances: Bool
    /// The file is one instance of a series that stands in another file; no task of its own.
    public var isInstance: Bool
}

/// Reads the task of a calendar file: our tokenizer finds its lines, libical interprets them.
///
/// libical never sees the rest of the file, so what it cannot take (other components, attachments,
/// recurrence) costs nothing and loses nothing. RFC 5545 §3.6.2.
public enum VTodoReader {
    public static func read(_ bytes: [UInt8], list: GTDList) throws(CalendarError) -> VTodo {
        try read(CalendarOutline(bytes), list: list)
    }

    /// The UID in bytes that cannot be read as a whole, so that their task is not taken for deleted.
    public static func guessUID(_ bytes: [UInt8]) -> TodoID? {
        for line in bytes.prefix(CalendarLimits.fileBytes).split(separator: 0x0A) {
            guard line.prefix(4).elementsEqual("UID:".utf8) else { continue }
            let value = line.dropFirst(4).filter { $0 != 0x0D && $0 != UInt8(ascii: "\\") }
            return value.isEmpty ? nil : TodoID(String(decoding: value, as: UTF8.self))
        }
        return nil
    }

    static func read(_ outline: CalendarOutline, list: GTDList) throws(CalendarError) -> VTodo {
        let task = try outline.task()
        let line = outline.beginLine(of: task.master)
        let text = wanted(outline, of: task.master)
        let todo = Libical.run { () -> Todo? in
            guard let component = Libical.parse(text) else { return nil }
            defer { icalcomponent_free(component) }
            var builder = TodoBuilder(list: list)
            for property in Libical.properties(of: component) { builder.receive(property) }
            for alarm in Libical.components(of: component, ICAL_VALARM_COMPONENT) {
                builder.receive(alarm: alarm)
            }
            return builder.finish()
        }
        guard var todo else { throw CalendarError(.unreadable, line: line) }
        todo.recurrence = rule(outline, of: task.master)
        todo.doneInstances = doneInstances(outline, task.instances)
        SeriesDates.add(outline, of: task.master, to: &todo)
        todo.unread = UnreadText.names(outline, of: task.master, todo)
        return VTodo(
            todo: todo, line: line,
            repeats: outline.has("RRULE", in: task.master) || outline.has("RDATE", in: task.master),
            hasInstances: !task.instances.isEmpty, isInstance: task.isInstance)
    }

    /// The text of the rule; what cannot be a rule by its length is none.
    private static func rule(_ outline: CalendarOutline, of todo: Int) -> String? {
        let line = outline.ownLines(of: todo).first { outline.lines[$0].name == "RRULE" }
        guard let line, outline.lines[line].range.count <= 2 * Recurrence.Bounds.ruleBytes else { return nil }
        let text = CleanText.line(outline.lines[line].plainValue(in: outline.bytes))
        return text.isEmpty ? nil : text
    }

    /// Thunderbird keeps what was done of a series beside its master, in the same file.
    private static func doneInstances(_ outline: CalendarOutline, _ instances: [Int]) -> [String] {
        instances.prefix(1_000).compactMap { instance in
            let values = Dictionary(
                outline.ownLines(of: instance).filter { outline.lines[$0].range.count < 256 }.map {
                    (outline.lines[$0].name, outline.lines[$0].plainValue(in: outline.bytes))
                }
            ) { first, _ in first }
            let isDone =
                values["STATUS"]?.uppercased() == "COMPLETED" || values["COMPLETED"] != nil
                || values["PERCENT-COMPLETE"] == "100"
            return isDone ? values["RECURRENCE-ID"].map { CleanText.line($0) } : nil
        }
    }

    /// A VTODO of only the lines that a ``Todo`` is made of, unfolded.
    private static func wanted(_ outline: CalendarOutline, of todo: Int) -> [UInt8] {
        var text = Array("BEGIN:VTODO\r\n".utf8)
        append(outline, todo, properties, to: &text)
        for alarm in outline.children(of: todo, named: "VALARM") {
            text += "BEGIN:VALARM\r\n".utf8
            append(outline, alarm, ["ACTION", "TRIGGER"], to: &text)
            text += "END:VALARM\r\n".utf8
        }
        text += "END:VTODO\r\n".utf8
        return text
    }

    private static func append(
        _ outline: CalendarOutline, _ component: Int, _ names: Set<String>, to text: inout [UInt8]
    ) {
        for index in outline.ownLines(of: component) where names.contains(outline.lines[index].name) {
            let line = outline.lines[index]
            // An attachment in the file itself is no link.
            if line.name == "ATTACH", line.range.count > 4_096 { continue }
            text += line.unfolded(in: outline.bytes).lazy.filter { $0 != 0x0D && $0 != 0x0A }
            text += "\r\n".utf8
        }
    }

    private static let properties: Set<String> = [
        "UID", "SUMMARY", "DESCRIPTION", "STATUS", "COMPLETED", "PERCENT-COMPLETE", "PRIORITY", "DUE",
        "DTSTART",
        "CATEGORIES", "URL", "CONTACT", "RELATED-TO", "CREATED", "ATTACH", "X-OPUS-MESSAGE-ID",
        "X-OPUS-ACCOUNT", "X-OPUS-RULE", "X-OPUS-CONTEXT", "X-OPUS-TZ", "X-OPUS-WAITING-ON",
        "X-OPUS-DELEGATED-MID",
    ]
}

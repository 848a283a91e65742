import CLibical
public import Models

/// One VTODO as it was read.
public struct VTodo: Hashable, Sendable {
    public var todo: Todo
    /// The line of its `BEGIN:VTODO`, 1-based.
    public var line: Int
    /// Has RRULE or RDATE.
    public var repeats: Bool
    /// The file changes single instances of the series (RECURRENCE-ID).
    public var hasInstances: Bool
    /// The file is one instance of a series that is in another file; not a task of its own.
    public var isInstance: Bool
}

/// Reads the task of a calendar file: our tokenizer finds its lines, libical interprets them.
///
/// libical never sees the rest of the file, so what it cannot take (other components, attachments,
/// recurrence) costs nothing and loses nothing; nor lines that mean what they say (``LiteralValue``). RFC 5545 §3.6.2.
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
        let read = Libical.run { todo(outline, of: task.master, list: list) }
        guard var todo = read else { throw CalendarError(.unreadable, line: line) }
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
        guard let line = outline.line("RRULE", in: todo),
            outline.lines[line].range.count <= 2 * Recurrence.Bounds.ruleBytes
        else { return nil }
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

    /// nil when libical cannot take a line, or there is no UID.
    private static func todo(_ outline: CalendarOutline, of master: Int, list: GTDList) -> Todo? {
        var builder = TodoBuilder(list: list)
        for index in outline.components[master].lines where outline.owners[index] == master {
            let line = outline.lines[index]
            guard properties.contains(line.name) else { continue }
            // An attachment in the file itself is not a link.
            if line.name == "ATTACH", line.range.count > 4_096 { continue }
            if let value = LiteralValue(line, in: outline.bytes), builder.receive(value, of: line.name) {
                continue
            }
            guard let component = Libical.parse(component("VTODO", [line], outline.bytes)) else { return nil }
            defer { icalcomponent_free(component) }
            for property in Libical.properties(of: component) { builder.receive(property, of: line.name) }
        }
        for alarm in outline.children(of: master, named: "VALARM") {
            let lines = outline.ownLines(of: alarm).map { outline.lines[$0] }
            let wanted = lines.filter { $0.name == "ACTION" || $0.name == "TRIGGER" }
            guard let component = Libical.parse(component("VALARM", wanted, outline.bytes)) else {
                return nil
            }
            defer { icalcomponent_free(component) }
            builder.receive(alarm: component)
        }
        return builder.finish()
    }

    /// A component of only these lines, unfolded.
    private static func component(_ name: String, _ lines: [ContentLine], _ bytes: [UInt8]) -> [UInt8] {
        var text = Array("BEGIN:\(name)\r\n".utf8)
        for line in lines {
            text += line.unfolded(in: bytes).lazy.filter { $0 != 0x0D && $0 != 0x0A }
            text += "\r\n".utf8
        }
        text += "END:\(name)\r\n".utf8
        return text
    }

    private static let properties: Set<String> = [
        "UID", "SUMMARY", "DESCRIPTION", "STATUS", "COMPLETED", "PERCENT-COMPLETE", "PRIORITY", "DUE",
        "DTSTART",
        "CATEGORIES", "URL", "CONTACT", "RELATED-TO", "CREATED", "ATTACH", "X-OPUS-MESSAGE-ID",
        "X-OPUS-ACCOUNT", "X-OPUS-RULE", "X-OPUS-CONTEXT", "X-OPUS-TZ", "X-OPUS-WAITING-ON",
        "X-OPUS-DELEGATED-MID", "X-OPUS-ON-REPLY",
    ]
}

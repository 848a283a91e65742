import CLibical
public import Models

/// One VTODO of a file.
public struct VTodo: Hashable, Sendable {
    public var todo: Todo
    /// The line of its `BEGIN:VTODO`, from 1.
    public var line: Int
    /// Whether it has RRULE or RDATE.
    public var repeats: Bool
    /// Whether the file has instances of the series (RECURRENCE-ID).
    public var hasInstances: Bool
    /// Whether it is an instance of a series in another file, and so not a task.
    public var isInstance: Bool
    /// Whether the task counts as completed only because each date of its series has a completed instance.
    public var isFinished = false
    /// Whether another program changed CATEGORIES, so that opus's copy of them is out of date.
    var hasOldContexts = false
}

/// Reads the tasks of a calendar file: opus finds the lines, and libical parses them. RFC 5545 §3.6.2.
///
/// libical gets only the lines of a task that need a parser (not ``LiteralValue``). So content that it cannot parse
/// (other components, attachments, recurrence) does no harm and is not lost.
public enum VTodoReader {
    /// The only task of a file.
    public static func read(_ bytes: [UInt8], list: GTDList) throws(CalendarError) -> VTodo {
        let outline = try CalendarOutline(bytes)
        return try read(outline, outline.task(), list: list)
    }

    /// All tasks of a file in order: a calendar may contain one task or a whole list.
    public static func all(_ bytes: [UInt8], list: GTDList) throws(CalendarError) -> [VTodo] {
        let outline = try CalendarOutline(bytes)
        var tasks: [VTodo] = []
        for task in try outline.tasks() { tasks.append(try read(outline, task, list: list)) }
        return tasks
    }

    /// One task of a file; nil: the file does not contain it.
    public static func read(_ bytes: [UInt8], _ id: TodoID, list: GTDList) throws(CalendarError) -> VTodo? {
        try all(bytes, list: list).first { $0.todo.id == id && !$0.isInstance }
    }

    /// The UID in an unreadable file, so that its task does not count as deleted.
    public static func guessUID(_ bytes: [UInt8]) -> TodoID? {
        for line in bytes.prefix(CalendarLimits.fileBytes).split(separator: 0x0A) {
            guard line.prefix(4).elementsEqual("UID:".utf8) else { continue }
            let value = line.dropFirst(4).filter { $0 != 0x0D && $0 != UInt8(ascii: "\\") }
            return value.isEmpty ? nil : TodoID(String(decoding: value, as: UTF8.self))
        }
        return nil
    }

    static func read(
        _ outline: CalendarOutline, _ task: CalendarOutline.Task, list: GTDList
    ) throws(CalendarError) -> VTodo {
        let line = outline.beginLine(of: task.master)
        let read = Libical.run { builder(outline, of: task.master, list: list) }
        guard let read, var todo = read.finish() else { throw CalendarError(.unreadable, line: line) }
        todo.recurrence = rule(outline, of: task.master)
        todo.doneInstances = Instances.done(task, outline)
        SeriesDates.add(outline, of: task.master, to: &todo)
        todo.excludedDates += Instances.cancelled(task, outline, zone: todo)
        todo.unread = UnreadText.names(outline, of: task.master, todo)
        let isFinished = todo.isOpen && isFinished(todo, task, outline)
        if isFinished { todo.status = .completed }
        return VTodo(
            todo: todo, line: line,
            repeats: outline.has("RRULE", in: task.master) || outline.has("RDATE", in: task.master),
            hasInstances: !task.instances.isEmpty, isInstance: task.isInstance, isFinished: isFinished,
            hasOldContexts: read.hasOldContexts)
    }

    /// Whether the instances complete the series: opus knows all its dates, and each of them is done.
    private static func isFinished(
        _ todo: Todo, _ task: CalendarOutline.Task, _ outline: CalendarOutline
    ) -> Bool {
        guard TodoSeries.isFinished(todo) else { return false }
        let isUnreadRule = todo.recurrence == nil && outline.has("RRULE", in: task.master)
        return !isUnreadRule && todo.addedDates.count < SeriesDates.most
            && !outline.has("EXRULE", in: task.master) && !Instances.changesFollowing(task, outline)
    }

    /// The text of the rule; what cannot be a rule by its length is none.
    private static func rule(_ outline: CalendarOutline, of todo: Int) -> String? {
        guard let line = outline.line("RRULE", in: todo),
            outline.lines[line].range.count <= 2 * Recurrence.Bounds.ruleBytes
        else { return nil }
        let text = CleanText.line(outline.lines[line].plainValue(in: outline.bytes))
        return text.isEmpty ? nil : text
    }

    /// nil when libical cannot take a line.
    private static func builder(_ outline: CalendarOutline, of master: Int, list: GTDList) -> TodoBuilder? {
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
        return builder
    }

    /// A component of only these lines, unfolded.
    static func component(_ name: String, _ lines: [ContentLine], _ bytes: [UInt8]) -> [UInt8] {
        var text = Array("BEGIN:\(name)\r\n".utf8)
        for line in lines {
            let content = line.unfolded(in: bytes).filter { $0 != 0x0D && $0 != 0x0A }
            text += StrayBackslash.doubled(inLine: content, named: line.name)
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

public import Models

/// Changes single properties of a task file; all other bytes stay.
///
/// libical writes each new line but never the file, because it drops what it does not know: parameters, components,
/// empty values, properties of newer RFCs. The result is read again before it is written.
public enum VTodoPatcher {
    /// Returns the same bytes if they already have the values of the patch. The list is a folder, not a property.
    ///
    /// `id`: the task, in a file with several; nil: the file has one.
    public static func apply(
        _ patch: TodoPatch, to bytes: [UInt8], of id: TodoID? = nil, now: Timestamp
    ) throws(CalendarError) -> [UInt8] {
        let outline = try CalendarOutline(bytes)
        let (task, file) = try find(id, in: outline)
        let plan = try PatchPlan(patch, file: file, outline: outline, task: task, now: now)
        guard !plan.isEmpty else { return bytes }
        var editor = LineEditor(outline, component: task.master)
        if !plan.changes.isEmpty {
            try edit(plan.changes + bookkeeping(outline, task.master, now: now), file, &editor)
        }
        for instance in plan.finished {
            editor.component = instance
            let done: [PatchPlan.Change] = [
                .set(.status(.completed)), .set(.completed(now)), .set(.percentComplete(100)),
            ]
            try edit(done + bookkeeping(outline, instance, now: now), file, &editor)
        }
        if let occurrence = plan.newInstance {
            editor.component = task.instances.last ?? task.master
            editor.append(try instance(of: task.master, file, at: occurrence, outline, now: now))
        }
        for index in editor.changedLines where !outline.lines[index].isUTF8(in: bytes) {
            throw CalendarError(.notUTF8, line: outline.lines[index].number)
        }
        let patched = editor.edited()
        try verify(patched, against: plan, file: file, original: bytes)
        return patched
    }

    private static func find(
        _ id: TodoID?, in outline: CalendarOutline
    ) throws(CalendarError) -> (CalendarOutline.Task, VTodo) {
        guard let id else {
            let task = try outline.task()
            return (task, try VTodoReader.read(outline, task, list: .inbox))
        }
        for task in try outline.tasks() where !task.isInstance {
            let file = try VTodoReader.read(outline, task, list: .inbox)
            if file.todo.id == id { return (task, file) }
        }
        throw CalendarError(.noSuchTodo)
    }

    private static func edit(
        _ changes: [PatchPlan.Change], _ file: VTodo, _ editor: inout LineEditor
    ) throws(CalendarError) {
        for change in changes {
            switch change {
            case .remove(let name): editor.remove(name)
            case .set(let property): editor.set(property.name, try rendered(property, file))
            case .setOnly(let property): editor.setOnly(property.name, try rendered(property, file))
            case .replace(let lines, let properties):
                var new: [String] = []
                for property in properties { new.append(try rendered(property, file)) }
                editor.replace(lines, new)
            }
        }
    }

    /// The lines of a new completed instance, with the title of its series.
    private static func instance(
        of master: Int, _ file: VTodo, at occurrence: TodoDate, _ outline: CalendarOutline, now: Timestamp
    ) throws(CalendarError) -> [[UInt8]] {
        let dates = TodoSeries.dates(of: file.todo, at: occurrence)
        var properties: [WrittenProperty] = [.recurrenceID(occurrence)]
        properties += [dates.start.map(WrittenProperty.start), dates.due.map(WrittenProperty.due)]
            .compactMap(\.self)
        properties += [
            .status(.completed), .completed(now), .percentComplete(100), .created(now), .lastModified(now),
            .stamp(now),
        ]
        var lines = [Array("BEGIN:VTODO\r\n".utf8)]
        // Copied byte by byte, because opus must not change the title of the series: a fold may be inside a character.
        for name in ["UID", "SUMMARY"] {
            guard let line = outline.line(name, in: master) else { continue }
            lines.append(Array(outline.bytes[outline.lines[line].range]))
        }
        for property in properties { lines.append(Array(try rendered(property, file).utf8)) }
        return lines + [Array("END:VTODO\r\n".utf8)]
    }

    /// The file split into lines and joined again: the same bytes.
    public static func joined(_ bytes: [UInt8]) throws(CalendarError) -> [UInt8] {
        let outline = try CalendarOutline(bytes)
        guard let first = try outline.tasks().first else { return bytes }
        return LineEditor(outline, component: first.master).edited()
    }

    /// The title as the patcher writes it.
    public static func shown(summary: String) -> String { WrittenProperty.shown(summary: summary) }

    /// The notes as the patcher writes them, with the link to the mail as their last line. They may be longer than those of
    /// a new task, because a line about a reply must not cut off what the user wrote.
    public static func shown(notes: String, of todo: Todo) -> String {
        var todo = todo
        todo.notes = notes
        return VTodoWriter.notes(todo, maximumBytes: CalendarLimits.lineBytes)
    }

    private static func rendered(
        _ property: WrittenProperty, _ file: VTodo
    ) throws(CalendarError) -> String {
        guard let line = Libical.run({ property.render() }) else {
            throw CalendarError(.wouldDamage, line: file.line)
        }
        return line
    }

    /// The time of the revision, and a higher sequence number, because dates, status and title matter. RFC 5545 §3.8.7.
    private static func bookkeeping(
        _ outline: CalendarOutline, _ master: Int, now: Timestamp
    ) -> [PatchPlan.Change] {
        let line = outline.ownLines(of: master).first { outline.lines[$0].name == "SEQUENCE" }
        let sequence = line.flatMap { Int(outline.lines[$0].plainValue(in: outline.bytes)) } ?? 0
        return [
            .set(.stamp(now)), .set(.lastModified(now)),
            .set(.sequence(min(max(sequence, 0), Int(Int32.max) - 1) + 1)),
        ]
    }

    private static func verify(
        _ patched: [UInt8], against plan: PatchPlan, file: VTodo, original: [UInt8]
    ) throws(CalendarError) {
        let damage = CalendarError(.wouldDamage, line: file.line)
        // Other content of a replaced line is gone.
        var expected = plan.expected
        let after = (try? VTodoReader.all(patched, list: expected.list))?.first {
            $0.todo.id == file.todo.id && $0.isInstance == file.isInstance
        }
        expected.unread = after?.todo.unread
        // A completed instance stays at its place in the file.
        if let found = after?.todo.doneInstances, found.sorted() == expected.doneInstances.sorted() {
            expected.doneInstances = found
        }
        guard let after, after.todo == expected, after.repeats == file.repeats,
            after.hasInstances == (file.hasInstances || plan.newInstance != nil)
        else { throw damage }
        let errors = Libical.run {
            (before: Libical.errorCount(original), after: Libical.errorCount(patched))
        }
        guard let before = errors.before, let now = errors.after, now <= before else { throw damage }
    }
}

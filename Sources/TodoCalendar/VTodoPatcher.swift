public import Models

/// Changes single properties of a task file; everything else stays byte for byte.
///
/// libical renders each new line, and never the file: it drops what it does not know (parameters, components,
/// empty values, properties of newer RFCs). The result is read again before it is written.
public enum VTodoPatcher {
    /// The bytes as they were when they already say what the patch says. The list is a folder, not a property.
    public static func apply(
        _ patch: TodoPatch, to bytes: [UInt8], now: Timestamp
    ) throws(CalendarError) -> [UInt8] {
        let outline = try CalendarOutline(bytes)
        let master = try outline.task().master
        let file = try VTodoReader.read(outline, list: GTDList.inbox)
        let plan = try PatchPlan(patch, file: file, outline: outline, master: master, now: now)
        guard !plan.changes.isEmpty else { return bytes }
        var editor = LineEditor(outline, component: master)
        for change in plan.changes + bookkeeping(outline, master, now: now) {
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
        let patched = editor.edited()
        try verify(patched, against: plan.expected, file: file, original: bytes)
        return patched
    }

    /// The file cut into its lines and joined again: the same bytes.
    public static func joined(_ bytes: [UInt8]) throws(CalendarError) -> [UInt8] {
        let outline = try CalendarOutline(bytes)
        return LineEditor(outline, component: try outline.task().master).edited()
    }

    /// The title that a patch with this one writes.
    public static func shown(summary: String) -> String { WrittenProperty.shown(summary: summary) }

    /// The notes that a patch with these writes: with the link to the mail as their last line.
    public static func shown(notes: String, of todo: Todo) -> String {
        var todo = todo
        todo.notes = notes
        return CleanText.lines(VTodoWriter.notes(todo))
    }

    private static func rendered(
        _ property: WrittenProperty, _ file: VTodo
    ) throws(CalendarError) -> String {
        guard let line = Libical.run({ property.render() }) else {
            throw CalendarError(.wouldDamage, line: file.line)
        }
        return line
    }

    /// RFC 5545 §3.8.7: the revision, and one more in the sequence because dates, status and title matter.
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
        _ patched: [UInt8], against expected: Todo, file: VTodo, original: [UInt8]
    ) throws(CalendarError) {
        let damage = CalendarError(.wouldDamage, line: file.line)
        // What a replaced line said beyond its value is gone with it.
        var expected = expected
        let after = try? VTodoReader.read(patched, list: expected.list)
        expected.unread = after?.todo.unread
        guard let after, after.todo == expected, after.repeats == file.repeats,
            after.hasInstances == file.hasInstances
        else { throw damage }
        let errors = Libical.run {
            (before: Libical.errorCount(original), after: Libical.errorCount(patched))
        }
        guard let before = errors.before, let now = errors.after, now <= before else { throw damage }
    }
}

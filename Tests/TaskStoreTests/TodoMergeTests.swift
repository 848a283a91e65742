import Models
import Testing

@testable import TaskStore

@Suite struct TodoMergeTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var here: Bool
        var there: Bool
        var same: Bool
        var outcome: PropertyMerge

        init(_ here: Bool, _ there: Bool, _ same: Bool, _ outcome: PropertyMerge) {
            (self.here, self.there, self.same, self.outcome) = (here, there, same, outcome)
        }

        var testDescription: String { "here \(here), there \(there), same \(same): \(outcome)" }
    }

    @Test(
        "each property is merged as the table says",
        arguments: [
            Row(false, false, true, .same), Row(true, false, false, .ours), Row(false, true, false, .theirs),
            Row(false, true, true, .theirs), Row(true, true, true, .same), Row(true, true, false, .conflict),
            Row(true, false, true, .same), Row(false, false, false, .same),
        ])
    func table(_ row: Row) {
        #expect(
            PropertyMerge(changedHere: row.here, changedThere: row.there, saysSame: row.same) == row.outcome)
    }

    @Test("contexts that both sides changed are merged word by word")
    func words() {
        var base = Folder.todo("u1")
        base.categories = ["@phone", "work", "Old"]
        var file = base
        file.categories = ["@Phone", "work", "@home"]
        var patch = TodoPatch()
        patch.categories = ["@phone", "urgent", "old"]
        let merge = TodoMerge(base: base, file: file, patch: patch)
        #expect(merge.patch.categories == ["@Phone", "@home", "urgent"])
        #expect(merge.conflicts.isEmpty)
    }

    @Test("a line that opus adds joins the notes that the user changed, before the link to the mail")
    func addedLine() {
        func merge(_ base: String, _ wanted: String, _ file: String) -> TodoMerge {
            var (before, there) = (Folder.todo("u1"), Folder.todo("u1"))
            (before.notes, there.notes) = (base, file)
            var patch = TodoPatch()
            patch.notes = wanted
            return TodoMerge(base: before, file: there, patch: patch)
        }
        let link = "Mail: <mid:u1@example.org>"
        let added = merge(link, "Reply\n\n\(link)", "My words.\n\n\(link)")
        #expect(added.patch.notes == "My words.\n\nReply\n\n\(link)")
        #expect(added.conflicts.isEmpty)
        let there = merge("At nine.\n\(link)", "At nine.\nReply\n\(link)", "At ten.\nReply\n\(link)")
        #expect(there.conflicts.isEmpty)
        #expect(merge("At nine.\n\(link)", "Not at all.\n\(link)", "At ten.\n\(link)").conflicts == [.notes])
        #expect(merge(link, "Reply\n\n\(link)", "My words.").conflicts == [.notes])
    }

    @Test("copying a field makes it equal, and changes no other field", arguments: TodoField.allCases)
    func fields(_ field: TodoField) {
        let a = Folder.todo("u1")
        let b = Self.other
        var c = a
        #expect(!field.isSame(a, b), "the sample has to differ")
        field.copy(from: b, to: &c)
        #expect(field.isSame(b, c))
        for other in TodoField.allCases where other != field { #expect(other.isSame(a, c)) }
    }

    static let other: Todo = {
        var todo = Folder.todo("u1", .someday, summary: "Other")
        todo.notes = "n"
        todo.status = .cancelled
        todo.start = .instant(Folder.now)
        todo.due = .instant(Folder.now + 60)
        todo.priority = 1
        todo.categories = ["@home"]
        todo.contact = "Ann"
        todo.parent = TodoID("p")
        todo.dependsOn = [TodoID("d")]
        todo.url = "https://example.org"
        todo.alarmSecondsBefore = 60
        todo.recurrence = "FREQ=DAILY"
        todo.messageID = MessageID("other@example.org")
        return todo
    }()
}

@Suite struct TaskMergeTests {
    /// A task of ours, as agreed, in a folder whose store keeps conflicts.
    private static func agreed() throws -> (Folder, TodoFile) {
        let folder = try Folder()
        folder.store = TaskFiles(root: folder.root, conflicts: folder.root + "/../conflicts")
        let file = try folder.create(Folder.todo("u1"))
        return (folder, try #require(try folder.scan([file]).files.first))
    }

    @Test("an unchanged file gets opus's change, and the next scan finds no change")
    func ours() throws {
        let (folder, base) = try Self.agreed()
        let merge = try folder.store.merge(
            base.todo.id, TodoPatch(summary: "New"), base: base, now: Folder.now)
        #expect(merge.file?.todo.summary == "New" && merge.conflicts.isEmpty)
        #expect(try folder.scan([try #require(merge.agreed)]).changes.isEmpty)
    }

    @Test("changes of different properties are both kept, and the next scan finds the user's")
    func both() throws {
        let (folder, base) = try Self.agreed()
        try folder.edit(base.path) { $0.replacing("STATUS:NEEDS-ACTION", with: "STATUS:COMPLETED") }
        let merge = try folder.store.merge(
            base.todo.id, TodoPatch(summary: "New"), base: base, now: Folder.now)
        #expect(merge.conflicts.isEmpty)
        #expect(merge.file?.todo.summary == "New" && merge.file?.todo.status == .completed)
        let scan = try folder.scan([try #require(merge.agreed)])
        #expect(scan.changes.map(\.shown) == ["completed next/u1"])
        #expect(try folder.scan(scan.files).changes.isEmpty)
    }

    @Test("of two values for one property, the file keeps its own and opus's is stored as a conflict")
    func conflict() throws {
        let (folder, base) = try Self.agreed()
        try folder.edit(base.path) { $0.replacing("SUMMARY:Call Ann", with: "SUMMARY:Call Ann at home") }
        let before = try folder.text(base.path)
        let merge = try folder.store.merge(
            base.todo.id, TodoPatch(summary: "New"), base: base, now: Folder.now)
        #expect(try folder.text(base.path) == before)
        let conflict = try #require(try folder.store.conflicts().first)
        #expect(merge.conflicts == [conflict])
        #expect(conflict.field == .summary && conflict.base == "Call Ann")
        #expect(conflict.theirs == "Call Ann at home" && conflict.ours == "New")
        // Met again it is the same conflict.
        _ = try folder.store.merge(base.todo.id, TodoPatch(summary: "New"), base: base, now: Folder.now)
        #expect(try folder.store.conflicts().count == 1)
        // Our value is to be written after all; then the conflict is resolved.
        #expect(try folder.update("u1", conflict.patch).todo.summary == "New")
        #expect(try folder.store.conflicts().isEmpty)
        #expect(try folder.names() == ["next/displayname", "next/u1.ics"])
    }

    @Test("one property conflicts and the other is written, and keeping the file's value ends the conflict")
    func partly() throws {
        let (folder, base) = try Self.agreed()
        try folder.edit(base.path) { $0.replacing("SUMMARY:Call Ann", with: "SUMMARY:x") }
        var patch = TodoPatch(due: TodoDate("2026-05-01"), summary: "New")
        patch.contact = "Ann"
        let merge = try folder.store.merge(base.todo.id, patch, base: base, now: Folder.now)
        #expect(merge.conflicts.map(\.field) == [.summary])
        #expect(merge.file?.todo.due == TodoDate("2026-05-01") && merge.file?.todo.contact == "Ann")
        #expect(merge.file?.todo.summary == "x")
        folder.store.forget(merge.conflicts[0])
        #expect(try folder.store.conflicts().isEmpty)
    }

    @Test("a conflict that the user settles in the file ends")
    func settled() throws {
        let (folder, base) = try Self.agreed()
        try folder.edit(base.path) { $0.replacing("SUMMARY:Call Ann", with: "SUMMARY:x") }
        _ = try folder.store.merge(base.todo.id, TodoPatch(summary: "New"), base: base, now: Folder.now)
        try folder.edit(base.path) { $0.replacing("SUMMARY:x", with: "SUMMARY:New") }
        #expect(try folder.store.conflicts().isEmpty)
    }

    @Test("if both sides have the same value, nothing is written")
    func bothSame() throws {
        let (folder, base) = try Self.agreed()
        try folder.edit(base.path) { $0.replacing("SUMMARY:Call Ann", with: "SUMMARY:New") }
        let before = try folder.text(base.path)
        let merge = try folder.store.merge(
            base.todo.id, TodoPatch(summary: "New"), base: base, now: Folder.now)
        #expect(merge.conflicts.isEmpty)
        #expect(try folder.text(base.path) == before)
    }

    @Test("after a crash, a change that was written is recognised as opus's own")
    func afterCrash() throws {
        let (folder, base) = try Self.agreed()
        let written = try folder.update("u1", TodoPatch(status: .completed))
        let merge = try folder.store.merge(
            base.todo.id, TodoPatch(status: .completed), base: base, now: Folder.now + 90)
        #expect(merge.file == written && merge.agreed == written && merge.conflicts.isEmpty)
        #expect(try folder.scan([written]).changes.isEmpty)
    }

    @Test("a removed task is not created again unless the user chooses opus's version")
    func gone() throws {
        let (folder, base) = try Self.agreed()
        try folder.remove(base.path)
        let merge = try folder.store.merge(
            base.todo.id, TodoPatch(summary: "New"), base: base, now: Folder.now)
        #expect(merge.file == nil && merge.agreed == nil)
        #expect(try folder.names() == ["next/displayname"])
        let conflict = try #require(try folder.store.conflicts().first)
        #expect(conflict.field == nil)
        let file = try folder.store.create(conflict.wanted, now: Folder.now)
        #expect(file.todo.summary == "New" && file.todo.messageID == base.todo.messageID)
    }

    @Test("if the file was moved to another list, opus's change is written there")
    func moved() throws {
        let (folder, base) = try Self.agreed()
        try folder.move(base.path, to: "someday/u1.ics")
        let merge = try folder.store.merge(
            base.todo.id, TodoPatch(summary: "New"), base: base, now: Folder.now)
        #expect(merge.file?.path == "someday/u1.ics" && merge.file?.todo.summary == "New")
        let scan = try folder.scan([try #require(merge.agreed)])
        #expect(scan.changes.map(\.shown) == ["moved next->someday/u1"])
        let other = try folder.store.merge(
            base.todo.id, TodoPatch(list: .waiting), base: base, now: Folder.now)
        #expect(other.conflicts.map(\.field) == [.list])
        #expect(try folder.names().contains("someday/u1.ics"))
    }

    @Test("a series moves to its next date once, unless another program moved it")
    func series() throws {
        let (folder, base) = try Self.agreed()
        let rule = "DUE;VALUE=DATE:20260401\r\nRRULE:FREQ=WEEKLY;COUNT=3\r\nEND:VTODO"
        try folder.edit(base.path) { $0.replacing("END:VTODO", with: rule) }
        let repeating = try #require(try folder.scan([base]).files.first)
        var patch = TodoPatch()
        var roll = TodoRoll(
            from: try #require(TodoDate("2026-04-01")), to: try #require(TodoDate("2026-04-08")))
        (roll.due, roll.rule) = (roll.to, "FREQ=WEEKLY;COUNT=2")
        patch.roll = roll
        let before = try folder.text(base.path)
        try folder.edit(base.path) { $0.replacing("DATE:20260401", with: "DATE:20260402") }
        let moved = try folder.store.merge(base.todo.id, patch, base: repeating, now: Folder.now)
        #expect(moved.conflicts.map(\.field) == [.due] && moved.conflicts[0].ours == "2026-04-08")
        #expect(moved.file?.todo.due == TodoDate("2026-04-02"))
        #expect(moved.file?.todo.recurrence == "FREQ=WEEKLY;COUNT=3")
        // A change of another program beside it stays; a repetition, as after a crash, changes nothing.
        try folder.write(base.path, before.replacing("SUMMARY:Call Ann", with: "SUMMARY:x"))
        for _ in 0..<2 {
            let merge = try folder.store.merge(base.todo.id, patch, base: repeating, now: Folder.now)
            #expect(merge.conflicts.isEmpty && merge.file?.todo.summary == "x")
            #expect(merge.file?.todo.due == roll.to && merge.file?.todo.recurrence == roll.rule)
        }
    }

    @Test("if a task has two files or an unreadable one, nothing is written")
    func refused() throws {
        let (folder, base) = try Self.agreed()
        let text = try folder.text(base.path)
        try folder.write("inbox/copy.ics", text)
        #expect(throws: TaskStoreError.self) {
            try folder.store.merge(base.todo.id, TodoPatch(summary: "New"), base: base, now: Folder.now)
        }
        try folder.remove("inbox/copy.ics")
        try folder.edit(base.path) { $0.replacing("END:VTODO", with: "<<<<<<< HEAD") }
        let broken = try folder.text(base.path)
        #expect(throws: TaskStoreError.self) {
            try folder.store.merge(base.todo.id, TodoPatch(summary: "New"), base: base, now: Folder.now)
        }
        #expect(try folder.text(base.path) == broken)
        #expect(try folder.store.conflicts().isEmpty)
    }
}

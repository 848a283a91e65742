import Models
import TodoCalendar

/// The result for one property that both sides may have changed since the last common version: one table.
///
/// | here (opus) | there (the file) | both values are | result |
/// |---|---|---|---|
/// | same | same | – | same |
/// | changed | same | – | ours |
/// | same | changed | – | theirs |
/// | changed | changed | equal | same |
/// | changed | changed | different | conflict |
///
/// In a conflict, the file keeps the user's value, and opus's value is kept aside. Sets of words (contexts, blockers)
/// never conflict: additions and removals of both sides apply. Lines that opus adds to the notes follow the user's notes.
enum PropertyMerge: Equatable {
    case same
    case ours
    case theirs
    case conflict

    init(changedHere: Bool, changedThere: Bool, saysSame: Bool) {
        self =
            switch (changedHere, changedThere, saysSame) {
            case (_, _, true): changedThere && !changedHere ? .theirs : .same
            case (false, false, false): .same
            case (true, false, false): .ours
            case (false, true, false): .theirs
            case (true, true, false): .conflict
            }
    }
}

/// A change by opus to a file that is no longer the version for which it was decided.
struct TodoMerge {
    /// The changes still to write.
    private(set) var patch: TodoPatch
    /// Fields in which the file keeps a value other than opus's.
    private(set) var conflicts: [TodoField] = []
    /// The fields that the user changed since the base.
    let changedThere: Set<TodoField>
    /// The base with opus's change.
    let wanted: Todo

    /// `base`: the last common version. `file`: the current version.
    init(base: Todo, file: Todo, patch: TodoPatch) {
        self.patch = patch
        let wanted = patch.applied(to: base)
        self.wanted = wanted
        changedThere = Set(TodoField.allCases.filter { !$0.isUntouched(base, file) })
        for field in patch.fields {
            let decision = PropertyMerge(
                changedHere: !field.isSame(base, wanted),
                changedThere: changedThere.contains(field) || loses(field, file),
                saysSame: field.isSame(wanted, file))
            if field == .notes, decision == .conflict, let notes = Self.added(base, wanted, to: file) {
                self.patch.notes = notes
                continue
            }
            switch (field, decision) {
            case (.categories, .conflict):
                self.patch.categories = Self.merged(
                    base: base.categories, file: file.categories, ours: wanted.categories
                ) { $0.lowercased() }
            case (.dependsOn, .conflict):
                self.patch.dependsOn = Self.merged(
                    base: base.dependsOn, file: file.dependsOn, ours: wanted.dependsOn
                ) { $0 }
            case (_, .conflict):
                conflicts.append(field)
                self.patch.drop(field)
                // A series continues with all its fields, or not at all.
                if patch.roll?.fields.contains(field) == true { self.patch.roll = nil }
            case (_, .theirs), (_, .same): self.patch.drop(field)
            case (_, .ours): break
            }
        }
    }

    /// Whether a due date of another type (a day, a time) would remove a start that the user has just set.
    private func loses(_ field: TodoField, _ file: Todo) -> Bool {
        guard field == .due, changedThere.contains(.start), let due = wanted.due, let start = file.start
        else {
            return false
        }
        return due.isDay != start.isDay
    }

    /// The notes of the file with the lines that opus adds to the base, before the same last lines; nil: opus changes other
    /// text, or the line of the file has parts that opus does not read and would lose.
    private static func added(_ base: Todo, _ wanted: Todo, to file: Todo) -> String? {
        let (old, new, there) = (lines(base.notes), lines(wanted.notes), lines(file.notes))
        let first = zip(old, new).prefix { $0 == $1 }.count
        let last = old[first...]
        let added = new.dropFirst(first).dropLast(last.count)
        guard new.count == old.count + added.count, new.suffix(last.count).elementsEqual(last),
            there.suffix(last.count).elementsEqual(last),
            base.unread?["DESCRIPTION"] == file.unread?["DESCRIPTION"]
        else { return nil }
        guard !added.allSatisfy(there.contains) else { return file.notes }
        return (there.dropLast(last.count) + added + last).joined(separator: "\n")
    }

    private static func lines(_ notes: String) -> [Substring] {
        notes.isEmpty ? [] : notes.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// The words of the file, without those that opus removed and with those that it added.
    private static func merged<Word, Key: Hashable>(
        base: [Word], file: [Word], ours: [Word], key: (Word) -> Key
    ) -> [Word] {
        let wanted = Set(ours.map(key))
        let removed = Set(base.map(key)).subtracting(wanted)
        let kept = file.filter { !removed.contains(key($0)) }
        let present = Set(kept.map(key)).union(base.map(key))
        return kept + ours.filter { !present.contains(key($0)) }
    }
}

extension TodoPatch {
    /// The fields that the patch changes.
    var fields: [TodoField] {
        let clears = clears ?? []
        let rolled = roll?.fields ?? []
        return TodoField.allCases.filter { field in
            if rolled.contains(field) { return true }
            return switch field {
            case .list: list != nil
            case .summary: summary != nil
            case .notes: notes != nil
            case .status: status != nil || completed != nil
            case .start: start != nil || clears.contains(.start)
            case .due: due != nil || clears.contains(.due)
            case .priority: priority != nil
            case .categories: categories != nil
            case .contact: contact != nil
            case .parent: parent != nil || clears.contains(.parent)
            case .dependsOn: dependsOn != nil
            case .url, .alarm, .recurrence, .mail: false
            }
        }
    }

    mutating func drop(_ field: TodoField) { restrict { $0 != field } }

    /// The part of the patch for one field.
    func only(_ field: TodoField) -> TodoPatch {
        var patch = self
        patch.restrict { $0 == field }
        if roll?.fields.contains(field) != true { patch.roll = nil }
        return patch
    }

    private mutating func restrict(to isKept: (TodoField) -> Bool) {
        if !isKept(.list) { list = nil }
        if !isKept(.summary) { summary = nil }
        if !isKept(.notes) { notes = nil }
        if !isKept(.status) { (status, completed) = (nil, nil) }
        if !isKept(.start) { start = nil }
        if !isKept(.due) { due = nil }
        if !isKept(.priority) { priority = nil }
        if !isKept(.categories) { categories = nil }
        if !isKept(.contact) { contact = nil }
        if !isKept(.parent) { parent = nil }
        if !isKept(.dependsOn) { dependsOn = nil }
        let left = (clears ?? []).filter { clearable in
            switch clearable {
            case .due: isKept(.due)
            case .start: isKept(.start)
            case .parent: isKept(.parent)
            }
        }
        clears = left.isEmpty ? nil : left
    }

    /// The task after the patch, as the patcher writes it.
    func applied(to todo: Todo) -> Todo {
        var todo = todo
        let clears = clears ?? []
        if let roll, roll.asInstance != true {
            (todo.status, todo.completed, todo.percentComplete) = (.needsAction, nil, nil)
            todo.start = roll.start ?? todo.start
            todo.due = roll.due ?? todo.due
            todo.recurrence = roll.rule ?? todo.recurrence
        }
        if let status = status ?? completed.map({ _ in .completed }) {
            todo.status = status
            todo.completed = status == .completed ? completed ?? todo.completed : nil
            todo.percentComplete = status == .completed ? 100 : nil
        }
        todo.list = list ?? todo.list
        todo.summary = summary.map(VTodoPatcher.shown(summary:)) ?? todo.summary
        todo.notes = notes.map { VTodoPatcher.shown(notes: $0, of: todo) } ?? todo.notes
        todo.start = start ?? (clears.contains(.start) ? nil : todo.start)
        todo.due = due ?? (clears.contains(.due) ? nil : todo.due)
        todo.priority = priority.map { min(max($0, 0), 9) } ?? todo.priority
        todo.categories = categories ?? todo.categories
        todo.contact = contact.map { $0.isEmpty ? nil : $0 } ?? todo.contact
        todo.parent = parent ?? (clears.contains(.parent) ? nil : todo.parent)
        todo.dependsOn = dependsOn ?? todo.dependsOn
        return todo
    }
}

extension TodoRoll {
    /// The fields that the roll changes.
    fileprivate var fields: [TodoField] {
        // With an instance, the task keeps its fields; only the done occurrences change.
        if asInstance == true { return [.recurrence] }
        return [.status] + (start == nil ? [] : [.start]) + (due == nil ? [] : [.due])
            + (rule == nil ? [] : [.recurrence])
    }
}

extension TodoDate {
    fileprivate var isDay: Bool {
        if case .date = self { return true }
        return false
    }
}

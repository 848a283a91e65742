public import Models
import TodoCalendar

/// Applies an earlier decision to a file that its user may have changed since.
extension TaskFiles {
    /// Writes a change, property by property, if the file still has the values of the base.
    ///
    /// | file | result |
    /// |---|---|
    /// | equals the base | the change is written |
    /// | was changed | each property by ``PropertyMerge``; conflicts are kept aside |
    /// | is in another list | the same, because the list is one of the properties |
    /// | is gone | it stays gone; the change is kept aside |
    /// | exists twice, or is unreadable | error; nothing is written |
    ///
    /// `base`: the version for which the change was decided; nil: the change is written as by ``update(_:_:now:)``.
    public func merge(
        _ id: TodoID, _ patch: TodoPatch, base: TodoFile?, now: Timestamp
    ) throws(TaskStoreError) -> TaskMerge {
        guard let base else {
            let file = try update(id, patch, now: now)
            return TaskMerge(file: file, agreed: file, conflicts: [])
        }
        guard let file = try index.files(for: id, thorough: true).first else {
            let conflict = TodoConflict(
                nil, base: base, file: nil, wanted: patch.applied(to: base.todo), patch: patch, at: now)
            return TaskMerge(file: nil, agreed: nil, conflicts: try kept([conflict]))
        }
        let merge = TodoMerge(base: base.todo, file: file.todo, patch: patch)
        let conflicts = merge.conflicts.map {
            TodoConflict($0, base: base, file: file, wanted: merge.wanted, patch: patch, at: now)
        }
        let aside = try kept(conflicts)
        let written = merge.patch.isEmpty ? file : try update(id, merge.patch, now: now)
        return TaskMerge(
            file: written, agreed: Self.agreed(written, base: base, merge), conflicts: aside)
    }

    /// The file, if its user changed nothing. Otherwise a version from which the next scan finds exactly the user's
    /// changes.
    private static func agreed(_ file: TodoFile, base: TodoFile, _ merge: TodoMerge) -> TodoFile {
        // A file that already has the wanted values comes from opus, for example before a crash.
        let theirs = merge.changedThere.filter { !$0.isSame(merge.wanted, file.todo) }
        guard !theirs.isEmpty else { return file }
        var agreed = file
        for field in theirs { field.copy(from: base.todo, to: &agreed.todo) }
        // No file has this digest and size, so it is read again.
        agreed.size = -1
        agreed.digest = ""
        return agreed
    }

    private func kept(_ conflicts: [TodoConflict]) throws(TaskStoreError) -> [TodoConflict] {
        guard let shelf else { return conflicts }
        for conflict in conflicts { try shelf.keep(conflict) }
        return conflicts
    }

    // MARK: Conflicts

    /// The conflicts kept aside, the oldest first. If the file now has the value, the conflict is removed.
    public func conflicts() throws(TaskStoreError) -> [TodoConflict] {
        guard let shelf else { return [] }
        var open: [TodoConflict] = []
        for conflict in try shelf.all() {
            if let field = conflict.field,
                let file = try? index.files(for: conflict.todo, thorough: false).first,
                field.isSame(conflict.wanted, file.todo)
            {
                shelf.remove(conflict)
            } else {
                open.append(conflict)
            }
        }
        return open
    }

    /// Removes a conflict: opus's value was written, or is not wanted.
    public func forget(_ conflict: TodoConflict) { shelf?.remove(conflict) }
}

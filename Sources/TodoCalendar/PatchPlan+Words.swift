import Models

/// Notes, priority, contexts, contact and relations: everything that a person writes about a task except its dates.
extension PatchPlan {
    mutating func setWords(_ patch: TodoPatch) {
        if let notes = patch.notes { set(notes: notes) }
        if let priority = patch.priority { set(priority: min(max(priority, 0), 9)) }
        if let categories = patch.categories { set(categories: categories) }
        if let contact = patch.contact { set(contact: CleanText.line(contact)) }
    }

    private mutating func set(notes: String) {
        let wanted = VTodoPatcher.shown(notes: notes, of: expected)
        guard wanted != file.todo.notes else { return }
        if wanted.isEmpty { remove("DESCRIPTION") } else { set(.description(wanted)) }
        expected.notes = wanted
        // Without another link, one in the notes is the link to the mail.
        if file.todo.messageID == nil { expected.messageID = MailLink.messageID(notes: wanted) }
    }

    private mutating func set(priority: Int) {
        guard priority != file.todo.priority else { return }
        if priority == 0 { remove("PRIORITY") } else { set(.priority(priority)) }
        expected.priority = priority
    }

    /// Writes one line, even if the file had several: todoman loses two lines of CATEGORIES.
    private mutating func set(categories: [String]) {
        let joined = WrittenProperty.joined(categories)
        let wanted = joined.split(separator: ",").map(String.init)
        // Categories that only opus's own line has are written back for other programs.
        let isLost = !wanted.isEmpty && !outline.has("CATEGORIES", in: master)
        guard wanted != file.todo.categories || isLost || file.hasOldContexts else { return }
        if wanted.isEmpty {
            remove("CATEGORIES")
            remove("X-OPUS-CONTEXT")
        } else {
            changes.append(.setOnly(.categories(wanted)))
            changes.append(.setOnly(.own(name: "X-OPUS-CONTEXT", value: joined)))
        }
        expected.categories = wanted
    }

    private mutating func set(contact: String) {
        guard contact != file.todo.contact ?? "" else { return }
        if contact.isEmpty { remove("CONTACT") } else { set(.contact(contact)) }
        expected.contact = contact.isEmpty ? nil : contact
    }

    // MARK: Relations

    /// Lines of other relations, and the parameters of those that stay (GAP), are not touched.
    mutating func setRelations(_ patch: TodoPatch) {
        let lines = relations()
        let parents = lines.filter { $0.relation.kind == .parent }.map(\.index)
        if let parent = patch.parent, parent != file.todo.parent {
            changes.append(.replace(lines: parents, with: [.parent(parent)]))
            expected.parent = parent
        } else if patch.parent == nil, patch.clears?.contains(.parent) == true, !parents.isEmpty {
            changes.append(.replace(lines: parents, with: []))
            expected.parent = nil
        }
        guard let wanted = patch.dependsOn.map(Self.distinct), Set(wanted) != Set(file.todo.dependsOn) else {
            return
        }
        let gone = lines.filter { $0.relation.kind == .dependsOn && !wanted.contains($0.relation.uid) }.map(
            \.index)
        let new = wanted.filter { !file.todo.dependsOn.contains($0) }
        changes.append(.replace(lines: gone, with: new.map { .dependsOn($0) }))
        expected.dependsOn = afterwards(lines, gone: gone, new: new)
    }

    private func relations() -> [(index: Int, relation: TodoRelation)] {
        let indices = outline.ownLines(of: master).filter { outline.lines[$0].name == "RELATED-TO" }
        return Libical.run {
            indices.compactMap { index in
                TodoRelation(
                    line: outline.lines[index].unfolded(in: outline.bytes).filter { $0 != 0x0D && $0 != 0x0A }
                )
                .map { (index, $0) }
            }
        }
    }

    /// In the order in which the file will have them.
    private func afterwards(
        _ lines: [(index: Int, relation: TodoRelation)], gone: [Int], new: [TodoID]
    ) -> [TodoID] {
        var order: [TodoID] = []
        for (index, relation) in lines where relation.kind == .dependsOn {
            if index == gone.first { order += new }
            if !gone.contains(index) { order.append(relation.uid) }
        }
        if gone.isEmpty { order += new }
        return Self.distinct(order)
    }

    private static func distinct(_ ids: [TodoID]) -> [TodoID] {
        var seen: Set<TodoID> = []
        return Array(ids.filter { seen.insert($0).inserted }.prefix(TodoRelation.most))
    }
}

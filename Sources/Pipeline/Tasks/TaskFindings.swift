import Models

/// Suspicious but readable tasks. Changes nothing.
extension TaskBoard {
    /// Lines `path: reason`, sorted by path.
    public func findings() -> [String] {
        var findings: [String] = []
        for file in files.sorted(by: { $0.path < $1.path }) {
            for reason in reasons(file.todo) { findings.append("\(file.path): \(reason)") }
        }
        return findings
    }

    private func reasons(_ todo: Todo) -> [String] {
        var reasons: [String] = []
        if let parent = todo.parent {
            if self.todo(parent) == nil { reasons.append("its project is not in any list: \(parent)") }
            if parent == todo.id || descendants(of: todo.id).contains(parent) {
                reasons.append("it is a part of itself")
            }
        }
        for id in todo.dependsOn where self.todo(id) == nil {
            reasons.append("it waits for a task that is not in any list: \(id)")
        }
        if todo.dependsOn.contains(where: { depends($0, on: todo.id) }) {
            reasons.append("it waits for itself")
        }
        if todo.summary.isEmpty { reasons.append("it has no title") }
        if (todo.summary + todo.notes).contains("\u{FFFD}") {
            reasons.append(
                "its title or notes have a character that cannot be read (U+FFFD): replace it, or save the file as UTF-8"
            )
        }
        return reasons
    }
}

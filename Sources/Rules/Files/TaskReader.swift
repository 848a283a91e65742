import Models
import YAMLSource

/// Reads the value of `task:`: a title, or a mapping with the task's fields.
struct TaskReader {
    let report: Report
    let captures: Set<String>

    func read(_ node: YAMLNode) -> TaskTemplate? {
        guard let pairs = node.mapping else {
            return report.template(node, "'task'", captures: captures).map { TaskTemplate(title: $0) }
        }
        let areKnown = report.checkKeys(pairs, ActionTable.taskFields, code: "R014", "field of 'task'")
        guard let titleNode = node["title"] else {
            if areKnown {
                report.error("R003", node, "'task' needs 'title'", "task: { title: '{{subject}}' }")
            }
            return nil
        }
        guard let title = report.template(titleNode, "'title'", captures: captures) else { return nil }
        var task = TaskTemplate(title: title)
        if let list = node["list"].flatMap({ self.list($0) }) { task.list = list }
        if let contexts = node["context"] {
            task.contexts = (contexts.sequence ?? [contexts]).compactMap {
                report.template($0, "'context'", captures: captures)
            }
        }
        task.due = node["due"].flatMap { report.date($0, "'due'", captures: captures) }
        task.dueElse = node["due-else"].flatMap { report.date($0, "'due-else'", captures: captures) }
        task.start = node["start"].flatMap { report.date($0, "'start'", captures: captures) }
        if let priority = node["priority"].flatMap({ self.priority($0) }) { task.priority = priority }
        task.notes = node["notes"].flatMap { report.template($0, "'notes'", captures: captures) }
        task.remindSecondsBefore = node["remind"].flatMap { remind($0) }
        return task
    }

    private func list(_ node: YAMLNode) -> GTDList? {
        guard let text = report.text(node, "'list'") else { return nil }
        guard GTDList.isValid(text) else {
            report.error(
                "R020", node, "'\(text)' cannot be the name of a list",
                "next, scheduled, someday, or your own")
            return nil
        }
        return GTDList(text)
    }

    /// RFC 5545 §3.8.1.9: 1 is the highest.
    private func priority(_ node: YAMLNode) -> Int? {
        let words = ["high": 1, "medium": 5, "low": 9, "none": 0]
        guard let text = node.scalar, let value = words[text] ?? Int(text), (0...9).contains(value) else {
            report.error("R020", node, "'priority' is high, medium, low or 1 to 9")
            return nil
        }
        return value
    }

    /// `3 days before`, `2 hours`, `P1D`.
    private func remind(_ node: YAMLNode) -> Int? {
        guard let text = report.text(node, "'remind'") else { return nil }
        let length = text.hasSuffix(" before") ? String(text.dropLast(" before".count)) : text
        guard let seconds = DatePhrase.duration(length) else {
            report.error("R022", node, "'\(text)' is no length of time", "3 days before, 2 hours before")
            return nil
        }
        return Int(seconds)
    }
}

/// Addresses as people write them in rule files: `ana@x.org`, `Ana Ruiz <ana@x.org>`, several with commas.
public enum AddressText {
    /// Whether a test of a rule takes the text as the addresses of a mail.
    public static func isReadable(_ text: String) -> Bool { list(text) != nil }

    static func one(_ text: String) -> EmailAddress? {
        let trimmed = text.trimmingBlanks()
        guard trimmed.utf8.count <= 1_000, !trimmed.unicodeScalars.contains(where: { $0.value < 0x20 }) else {
            return nil
        }
        guard let open = trimmed.lastIndex(of: "<"), trimmed.last == ">" else {
            return plain(trimmed, name: "")
        }
        var name = trimmed[..<open].trimmingBlanks()
        if name.count >= 2, name.first == "\"", name.last == "\"" {
            name = String(name.dropFirst().dropLast())
        }
        return plain(String(trimmed[trimmed.index(after: open)...].dropLast()), name: name)
    }

    private static func plain(_ text: String, name: String) -> EmailAddress? {
        guard let address = EmailAddress(text, displayName: name),
            !text.contains(where: { $0.isWhitespace || "<>,;\"(){}".contains($0) }),
            !address.localPart.contains("@"), !address.domain.hasPrefix("."), !address.domain.hasSuffix(".")
        else { return nil }
        return address
    }

    /// nil when one of them is none.
    static func list(_ text: String) -> [EmailAddress]? {
        var parts: [String] = [""]
        var isQuoted = false
        for letter in text {
            if letter == "\"" { isQuoted.toggle() }
            if letter == ",", !isQuoted { parts.append("") } else { parts[parts.count - 1].append(letter) }
        }
        let addresses = parts.map { one($0) }
        let found = addresses.compactMap { $0 }
        return found.count == addresses.count ? found : nil
    }
}

/// The language as data: for help pages, the documentation and editors.
public enum RulesLanguage {
    public static var conditions: [ConditionEntry] { ConditionTable.entries }
    public static var actions: [ActionEntry] { ActionTable.entries }

    /// The names that `{{…}}` supports in addition to the named groups of the rule's own patterns.
    public static var templateNames: [String] { Template.builtIn.map(\.rawValue) }

    public static var dates: [DateEntry] { DateTable.entries }

    /// The JSON Schema of rule files, for editors.
    public static var schema: String { RulesSchema.text }

    /// The table of conditions for `opus help query`: one line each, grouped.
    public static var conditionHelp: String {
        var lines: [String] = []
        var group = ""
        for entry in conditions {
            if entry.group != group {
                group = entry.group
                lines += lines.isEmpty ? [group] : ["", group]
            }
            lines.append("  " + padded(entry.example, 30) + entry.help)
        }
        return lines.joined(separator: "\n")
    }

    /// The table of actions for `opus help rules`.
    public static var actionHelp: String {
        actions
            .map { "  " + padded($0.value.isEmpty ? $0.name : "\($0.name): \($0.value)", 39) + $0.help }
            .joined(separator: "\n")
    }

    /// The phrases of dates for `opus help dates`.
    public static var dateHelp: String {
        dates.map { entry in
            let phrases = entry.phrases.joined(separator: ", ")
            return phrases.count > 38
                ? "  \(phrases)\n" + String(repeating: " ", count: 42) + entry.meaning
                : "  " + padded(phrases, 40) + entry.meaning
        }.joined(separator: "\n")
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}

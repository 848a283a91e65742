import Models
import YAMLSource

/// `tasks: { path: ~/tasks, when-done: archive, when-cancelled: keep }`.
enum TasksReader {
    struct Settings {
        /// As it was written.
        var path: String?
        var whenDone = FinishedMail.archive
        var whenCancelled = FinishedMail.archive
        var mostNudges = Workspace.usualNudges
    }

    static func read(_ node: YAMLNode, _ reader: inout ConfigReader) -> Settings {
        var settings = Settings()
        let keys = ["path", "when-done", "when-cancelled", "max-nudges"]
        guard let section = reader.section(node, "tasks", keys: keys, later: ["times"]) else {
            return settings
        }
        settings.path = reader.text("path", in: section)
        if let word = word("when-done", section, &reader) { settings.whenDone = word }
        if let word = word("when-cancelled", section, &reader) { settings.whenCancelled = word }
        settings.mostNudges = reader.number("max-nudges", in: section, 0...20) ?? settings.mostNudges
        return settings
    }

    private static func word(
        _ key: String, _ section: ConfigReader.Section, _ reader: inout ConfigReader
    ) -> FinishedMail? {
        guard let text = reader.text(key, in: section), let node = section.node(key) else { return nil }
        if let word = FinishedMail(rawValue: text) { return word }
        reader.report(
            "C007", at: node, "'\(key)' is '\(text)'",
            suggestion: "one of: " + FinishedMail.allCases.map(\.rawValue).joined(separator: ", "))
        return nil
    }
}

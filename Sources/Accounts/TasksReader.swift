import Models
import YAMLSource

/// `tasks: { path: ~/tasks, when-done: archive, when-cancelled: keep, sync-command: [vdirsyncer, sync], sync-every: 45s }`.
enum TasksReader {
    struct Settings {
        /// The path as written.
        var path: String?
        var whenDone = FinishedMail.archive
        var whenCancelled = FinishedMail.archive
        var mostNudges = Workspace.usualNudges
        var sync: TaskSyncSettings?
    }

    static func read(_ node: YAMLNode, _ reader: inout ConfigReader) -> Settings {
        var settings = Settings()
        let keys = ["path", "when-done", "when-cancelled", "max-nudges", "sync-command", "sync-every"]
        guard let section = reader.section(node, "tasks", keys: keys, later: ["times"]) else {
            return settings
        }
        settings.path = reader.text("path", in: section)
        if let word = word("when-done", section, &reader) { settings.whenDone = word }
        if let word = word("when-cancelled", section, &reader) { settings.whenCancelled = word }
        settings.mostNudges = reader.number("max-nudges", in: section, 0...20) ?? settings.mostNudges
        settings.sync = sync(section, &reader)
        return settings
    }

    /// nil: no sync program is configured.
    private static func sync(
        _ section: ConfigReader.Section, _ reader: inout ConfigReader
    ) -> TaskSyncSettings? {
        let period = period(section, &reader)
        guard let node = section.node("sync-command") else {
            if let node = section.node("sync-every") {
                reader.report(
                    "C005", at: node, "'sync-every' has no effect without 'sync-command'",
                    suggestion: "opus tasks sync-setup SERVICE")
            }
            return nil
        }
        let nodes = reader.list("sync-command", in: section) ?? []
        let words = nodes.compactMap(\.scalar)
        guard !words.isEmpty, words.count == nodes.count, words.first?.isEmpty == false else {
            reader.report(
                "C007", at: node, "'sync-command' must be a list: a program and its arguments",
                suggestion: "sync-command: [vdirsyncer, sync]")
            return nil
        }
        return TaskSyncSettings(command: words, period: period)
    }

    private static let secondsPerUnit = ["s": 1, "m": 60, "min": 60, "h": 3_600]
    private static let shortestPeriod = 5
    private static let longestPeriod = 86_400

    /// `45s`, `5m`, `1h`, or `never`.
    private static func period(_ section: ConfigReader.Section, _ reader: inout ConfigReader) -> Int? {
        guard let text = reader.text("sync-every", in: section), let node = section.node("sync-every") else {
            return TaskSyncSettings.usualPeriod
        }
        if text == "never" { return nil }
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let unit = secondsPerUnit[String(text.dropFirst(digits.count))], let count = Int(digits),
            count <= longestPeriod / unit, count * unit >= shortestPeriod
        else {
            reader.report(
                "C007", at: node, "'\(text)' is not a span of time",
                suggestion: "write a number and s, m or h, from 5s to 24h, or never")
            return nil
        }
        return count * unit
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

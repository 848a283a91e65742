import Models
import YAMLSource

/// `threads: { subjects: marked, within: 30d }`
enum ThreadsReader {
    static func read(_ node: YAMLNode, _ reader: inout ConfigReader) -> ThreadSettings {
        var settings = ThreadSettings()
        guard let section = reader.section(node, "threads", keys: ["subjects", "within"]) else {
            return settings
        }
        let words = ThreadSettings.Subjects.allCases.map { ($0.rawValue, $0) }
        settings.subjects = reader.choice("subjects", in: section, words) ?? settings.subjects
        guard let text = reader.text("within", in: section), let place = section.node("within") else {
            return settings
        }
        guard let days = SyncReader.days(text) else {
            reader.report(
                "C007", at: place, "'\(text)' is not a span of time",
                suggestion: "write a number and d, w, mo or y, as in 30d")
            return settings
        }
        settings.days = days
        return settings
    }
}

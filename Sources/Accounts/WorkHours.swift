import Models
import YAMLSource

/// `work-hours: { days: mon-fri, from: "09:00", to: "17:30" }`.
enum WorkHours {
    static let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

    static func read(_ node: YAMLNode, _ reader: inout ConfigReader) -> Workspace.Workday {
        var workday = Workspace.Workday()
        guard let section = reader.section(node, "work-hours", keys: ["days", "from", "to"]) else {
            return workday
        }
        if let days = days(section, &reader) { workday.days = days }
        if let start = time("from", section, &reader) { workday.start = start }
        if let end = time("to", section, &reader) { workday.end = end }
        if workday.start >= workday.end {
            reader.report("C007", at: section.node("to") ?? node, "work-hours end before they begin")
        }
        return workday
    }

    /// `mon-fri`, `mon,wed,fri`, `[mon, tue]`; a range may include Sunday in the middle.
    private static func days(_ section: ConfigReader.Section, _ reader: inout ConfigReader) -> Set<Int>? {
        guard let node = section.node("days") else { return nil }
        let words =
            node.sequence?.map { $0.scalar ?? "" } ?? node.scalar?.split(separator: ",").map(String.init)
            ?? []
        var days: Set<Int> = []
        for word in words {
            let ends = word.lowercased().split(separator: "-").map { $0.filter { !$0.isWhitespace } }
            guard (1...2).contains(ends.count), let first = day(ends[0]), let last = day(ends[ends.count - 1])
            else {
                reader.report(
                    "C007", at: node, "'\(word)' is not a day of the week",
                    suggestion: "one of: " + names.joined(separator: ", ") + ", or mon-fri")
                return nil
            }
            let length = (last - first + 7) % 7
            for offset in 0...length { days.insert((first - 1 + offset) % 7 + 1) }
        }
        if days.isEmpty { reader.report("C007", at: node, "'days' contains no day; write mon-fri") }
        return days
    }

    private static func day(_ word: String) -> Int? {
        names.firstIndex(of: String(word.prefix(3))).map { $0 + 1 }
    }

    /// `hh:mm` as seconds of the day; 24:00 is the end of the day.
    private static func time(
        _ key: String, _ section: ConfigReader.Section, _ reader: inout ConfigReader
    ) -> Int? {
        guard let text = reader.text(key, in: section), let node = section.node(key) else { return nil }
        guard let second = second(of: text) else {
            reader.report("C007", at: node, "'\(text)' is not a time of day; write \"09:00\"")
            return nil
        }
        return second
    }

    static func second(of text: some StringProtocol) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count <= 2, parts[1].utf8.count == 2, let hour = UInt(parts[0]),
            let minute = UInt(parts[1]), hour < 24 && minute < 60 || hour == 24 && minute == 0
        else { return nil }
        return Int(hour * 3_600 + minute * 60)
    }
}

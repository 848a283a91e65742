import YAMLSource

/// What `opus watch` does automatically: which rules it applies, and which events it reports.
public struct WatchSettings: Hashable, Sendable {
    /// The rules that are applied to new mail.
    public enum Applied: String, CaseIterable, Hashable, Sendable {
        /// Those with `auto: true`.
        case auto
        case all
        case none
    }

    /// Events that opus reports to a program.
    public enum Event: String, CaseIterable, Hashable, Sendable {
        /// A rule has the action `notify`.
        case notify
        /// Deferred mail has come back to the inbox.
        case returned
        /// A person answered a question that you wait for.
        case answered
        /// An answer that you wait for is late.
        case overdue
        /// A step failed permanently, a brake holds a plan, or a login was refused.
        case failed
    }

    public var applied = Applied.auto
    /// A program and its arguments; empty: none.
    public var hook: [String] = []
    /// Whether `notify-send` shows the events on the desktop.
    public var showsOnDesktop = false
    public var events = Set(Event.allCases)
    /// The daily quiet hours, which may include midnight. nil: there are none.
    public var quiet: QuietHours?
    /// Whether events include senders, subjects and other text of mail.
    public var includesText = false

    public init() {}

    /// A part of each day.
    public struct QuietHours: Hashable, Sendable {
        /// In seconds of the day.
        public var start: Int
        public var end: Int

        public init(start: Int, end: Int) {
            self.start = start
            self.end = end
        }

        public func contains(_ secondOfDay: Int) -> Bool {
            start <= end
                ? (start..<end).contains(secondOfDay) : secondOfDay >= start || secondOfDay < end
        }
    }
}

/// `watch: { apply: auto, hook: [notify-me], desktop: true, events: [failed], quiet: "22:00-07:00", text: false }`
enum WatchReader {
    static func read(_ node: YAMLNode, _ reader: inout ConfigReader) -> WatchSettings {
        var settings = WatchSettings()
        guard
            let section = reader.section(
                node, "watch", keys: ["apply", "hook", "desktop", "events", "quiet", "text"])
        else { return settings }
        let applied = WatchSettings.Applied.allCases.map { ($0.rawValue, $0) }
        if let choice = reader.choice("apply", in: section, applied) { settings.applied = choice }
        settings.hook = hook(section, &reader)
        settings.showsOnDesktop = yes("desktop", section, &reader)
        settings.includesText = yes("text", section, &reader)
        if let events = events(section, &reader) { settings.events = events }
        settings.quiet = quiet(section, &reader)
        return settings
    }

    private static func yes(
        _ key: String, _ section: ConfigReader.Section, _ reader: inout ConfigReader
    ) -> Bool {
        reader.choice(key, in: section, [("true", true), ("false", false), ("on", true), ("off", false)])
            ?? false
    }

    private static func hook(_ section: ConfigReader.Section, _ reader: inout ConfigReader) -> [String] {
        let nodes = reader.list("hook", in: section) ?? []
        let words = nodes.compactMap(\.scalar)
        guard words.count == nodes.count, words.first?.isEmpty != true else {
            if let node = section.node("hook") {
                reader.report("C007", at: node, "'hook' must be a list: a program and its arguments")
            }
            return []
        }
        return words
    }

    private static func events(
        _ section: ConfigReader.Section, _ reader: inout ConfigReader
    ) -> Set<WatchSettings.Event>? {
        guard let nodes = reader.list("events", in: section) else { return nil }
        return Set(
            nodes.compactMap { node in
                guard let event = WatchSettings.Event(rawValue: node.scalar ?? "") else {
                    reader.report(
                        "C007", at: node, "'\(node.scalar ?? "")' is not an event",
                        suggestion: "one of: "
                            + WatchSettings.Event.allCases.map(\.rawValue).joined(separator: ", "))
                    return nil
                }
                return event
            })
    }

    private static func quiet(
        _ section: ConfigReader.Section, _ reader: inout ConfigReader
    ) -> WatchSettings.QuietHours? {
        guard let text = reader.text("quiet", in: section), let node = section.node("quiet") else {
            return nil
        }
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map {
            WorkHours.second(of: $0.filter { $0 != " " })
        }
        guard ends.count == 2, let start = ends[0], let end = ends[1] else {
            reader.report(
                "C007", at: node, "'\(text)' is not a part of the day", suggestion: "quiet: \"22:00-07:00\"")
            return nil
        }
        return .init(start: start, end: end)
    }
}

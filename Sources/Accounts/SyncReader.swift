import Models
import YAMLSource

/// Reads `sync:` of an account: how much mail is fetched, and over which connections.
struct SyncReader {
    private static let keys = ["window", "exclude", "connections", "compress", "notify", "utf8"]
    /// Keys for servers only: a Maildir has no connection.
    private static let wireKeys = ["connections", "compress", "notify", "utf8"]

    func settings(
        _ node: YAMLNode, _ title: String, isMaildir: Bool, _ reader: inout ConfigReader
    ) -> SyncSettings {
        var settings = SyncSettings()
        guard let section = reader.section(node, "sync of \(title)", keys: Self.keys) else { return settings }
        settings.windowDays = window(section, &reader)
        settings.exclude = exclusion(section, &reader)
        settings.connections = reader.number("connections", in: section, 1...5)
        let compressions = SyncSettings.Compression.allCases.map { ($0.rawValue, $0) }
        settings.compression = reader.choice("compress", in: section, compressions) ?? .off
        let switches = [("true", true), ("false", false)]
        settings.usesNotify = reader.choice("notify", in: section, switches) ?? true
        settings.acceptsUTF8 = reader.choice("utf8", in: section, switches) ?? false
        if isMaildir {
            for key in Self.wireKeys {
                guard let place = section.node(key) else { continue }
                reader.report("C005", at: place, "'\(key)' has no effect on a Maildir; remove it")
            }
        }
        return settings
    }

    private static let maximumPatterns = 500

    /// Names of mailboxes, with the wildcards `*` and `%`.
    private func exclusion(
        _ section: ConfigReader.Section, _ reader: inout ConfigReader
    ) -> MailboxExclusion {
        guard let nodes = reader.list("exclude", in: section) else { return .nothing }
        guard nodes.count <= Self.maximumPatterns else {
            reader.report(
                "C007", at: section.node,
                "'exclude' has \(nodes.count) patterns; at most \(Self.maximumPatterns) are allowed")
            return .nothing
        }
        var patterns: [String] = []
        for node in nodes {
            guard let text = node.scalar, !text.isEmpty, text.count <= MailboxExclusion.maximumLength,
                !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            else {
                reader.report(
                    "C007", at: node, "'exclude' must be a list of mailbox names",
                    suggestion: "exclude: [\"Public/*\", \".*\"]")
                continue
            }
            guard text.lowercased() != "inbox" else {
                reader.report("C007", at: node, "the inbox cannot be left out")
                continue
            }
            patterns.append(text)
        }
        return MailboxExclusion(patterns)
    }

    private static let daysPerUnit = ["d": 1, "w": 7, "mo": 30, "y": 365]
    private static let maximumDays = 36_500

    /// `90d`, `12w`, `6mo`, `2y`, or `all`.
    private func window(_ section: ConfigReader.Section, _ reader: inout ConfigReader) -> Int? {
        guard let text = reader.text("window", in: section), let place = section.node("window"), text != "all"
        else { return nil }
        guard let days = Self.days(text) else {
            reader.report(
                "C007", at: place, "'\(text)' is not a span of time",
                suggestion: "write a number and d, w, mo or y, as in 90d, or all")
            return nil
        }
        return days
    }

    /// `90d`, `3w`, `6mo`, `1y`.
    static func days(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let unit = daysPerUnit[String(text.dropFirst(digits.count))], let count = Int(digits),
            count > 0, count <= maximumDays / unit
        else { return nil }
        return count * unit
    }
}

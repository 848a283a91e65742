import YAMLSource

/// Reads `send:` of `opus.yaml`.
struct SendReader {
    private static let keys = ["hold", "max-per-run", "max-per-hour", "max-per-recipient-per-hour"]
    private static let secondsPerUnit = ["s": 1, "m": 60, "min": 60, "h": 3_600]
    private static let longestHold = 86_400

    func settings(_ node: YAMLNode, _ reader: inout ConfigReader) -> SendSettings {
        var settings = SendSettings()
        guard let section = reader.section(node, "send", keys: Self.keys) else { return settings }
        settings.hold = hold(section, &reader) ?? settings.hold
        settings.perRun = reader.number("max-per-run", in: section, 1...10_000) ?? settings.perRun
        settings.perHour = reader.number("max-per-hour", in: section, 1...10_000) ?? settings.perHour
        settings.perRecipientPerHour =
            reader.number("max-per-recipient-per-hour", in: section, 1...10_000)
            ?? settings.perRecipientPerHour
        return settings
    }

    /// `30s`, `5m`, `1h`; `0` sends at once.
    private func hold(_ section: ConfigReader.Section, _ reader: inout ConfigReader) -> Int? {
        guard let text = reader.text("hold", in: section), let place = section.node("hold") else {
            return nil
        }
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text == "0" ? 1 : Self.secondsPerUnit[String(text.dropFirst(digits.count))]
        guard let unit, let count = Int(digits), count <= Self.longestHold / unit else {
            reader.report(
                "C007", at: place, "'\(text)' is not a span of time",
                suggestion: "write a number and s, m or h, as in 30s, at most a day; 0 sends at once")
            return nil
        }
        return count * unit
    }
}

import YAMLSource

/// Whether opus extracts the text of attached files, so that searches find it.
public struct FileTextSettings: Hashable, Sendable {
    public var isOn = false
    /// The maximum size of a file that is read, in bytes.
    public var maxSize = 10 << 20

    public init() {}
}

/// `attachment-text: { index: true, max-size: 10M }`
enum FileTextReader {
    static func read(_ node: YAMLNode, _ reader: inout ConfigReader) -> FileTextSettings {
        var settings = FileTextSettings()
        guard let section = reader.section(node, "attachment-text", keys: ["index", "max-size"]) else {
            return settings
        }
        settings.isOn =
            reader.choice("index", in: section, [("false", false), ("true", true)]) ?? settings.isOn
        if let text = reader.text("max-size", in: section), let place = section.node("max-size") {
            if let bytes = OriginalsReader.bytes(text), bytes > 0, bytes <= 100 << 20 {
                settings.maxSize = bytes
            } else {
                reader.report(
                    "C007", at: place, "'\(text)' is not a size of a file",
                    suggestion: "write a number and K or M, as in 10M; at most 100M")
            }
        }
        return settings
    }
}

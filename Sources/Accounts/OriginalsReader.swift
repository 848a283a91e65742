import YAMLSource

/// How long complete messages that were opened are cached beside the store.
public struct OriginalSettings: Hashable, Sendable {
    /// The maximum total size in bytes; 0: nothing is cached.
    public var maxSize = 500 << 20
    /// The maximum number of days since they were last opened; nil: until space is needed.
    public var maxDays: Int?

    public init() {}
}

/// `originals: { max-size: 500M, max-age: 90d }`
enum OriginalsReader {
    private static let bytesPerUnit = ["": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40]
    private static let largest = 1 << 50

    static func read(_ node: YAMLNode, _ reader: inout ConfigReader) -> OriginalSettings {
        var settings = OriginalSettings()
        guard let section = reader.section(node, "originals", keys: ["max-size", "max-age"]) else {
            return settings
        }
        if let text = reader.text("max-size", in: section), let place = section.node("max-size") {
            if let bytes = bytes(text) {
                settings.maxSize = bytes
            } else {
                reader.report(
                    "C007", at: place, "'\(text)' is not a size",
                    suggestion: "write a number and K, M or G, as in 500M; 0 keeps none")
            }
        }
        if let text = reader.text("max-age", in: section), let place = section.node("max-age") {
            settings.maxDays = SyncReader.days(text)
            if settings.maxDays == nil {
                reader.report(
                    "C007", at: place, "'\(text)' is not a span of time",
                    suggestion: "write a number and d, w, mo or y, as in 90d")
            }
        }
        return settings
    }

    /// `500M`, `500MB`, `2G`, `0`: with units of 1,024, as in `size:>2M`.
    static func bytes(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        var unit = text.dropFirst(digits.count).uppercased()
        if unit.hasSuffix("B") { unit.removeLast() }
        guard let factor = bytesPerUnit[unit], let count = Int(digits), count <= largest / factor else {
            return nil
        }
        return count * factor
    }
}

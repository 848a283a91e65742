public import Pipeline

/// `opus.config/1`
public struct ConfigDocument: Encodable, Sendable {
    struct Item: Encodable, Sendable {
        var key: String
        var value: String
        /// `file` or `default`.
        var origin: String
        var line: Int?
    }

    var schema = "opus.config/1"
    var file: String
    var items: [Item]

    public init(_ settings: [ConfigTool.Setting], file: String) {
        self.file = file
        items = settings.map {
            Item(key: $0.key, value: $0.value, origin: $0.line == nil ? "default" : "file", line: $0.line)
        }
    }
}

import YAMLSource

/// The JSON Schema (draft-07) of `opus.yaml`, made from ``ConfigTable``. Editors use it for completion and
/// checks.
///
/// It covers structure and keywords. Other checks of `opus config check` cannot be expressed in a schema.
public enum ConfigSchema {
    public static var text: String { root.written() + "\n" }

    private static var root: JSONText {
        var pairs: [(key: String, value: JSONText)] = [
            ("$schema", "http://json-schema.org/draft-07/schema#"),
            ("$id", "https://magnum-opus.example/schema/opus-1.json"),
            ("title", "Magnum Opus settings (opus.yaml), version 1"),
            ("definitions", ["text": ["type": ["string", "number", "boolean"]]]),
        ]
        if case .object(let rest) = object(ConfigTable.keys) { pairs += rest }
        return .object(pairs)
    }

    private static func object(_ keys: [ConfigKey]) -> JSONText {
        var pairs: [(key: String, value: JSONText)] = [("type", "object"), ("additionalProperties", false)]
        let required = keys.filter(\.isRequired).map { JSONText.text($0.name) }
        if !required.isEmpty { pairs.append(("required", .list(required))) }
        pairs.append(
            (
                "properties",
                .object(
                    keys.map { key in
                        (key.name, ["description": .text(key.help), "anyOf": .list(values(key.shape))])
                    })
            ))
        return .object(pairs)
    }

    private static let text1: JSONText = ["$ref": "#/definitions/text"]

    private static func values(_ shape: ConfigKey.Shape) -> [JSONText] {
        switch shape {
        case .text: [text1]
        // Numbers and `true` may also be in quotes.
        case .number(let range):
            [
                [
                    "type": "integer", "minimum": .number(range.lowerBound),
                    "maximum": .number(range.upperBound),
                ],
                ["type": "string", "pattern": "^[0-9]+$"],
            ]
        case .words(let words):
            [
                [
                    "enum": .list(
                        words.flatMap { word -> [JSONText] in
                            switch word {
                            case "true": [true, "true"]
                            case "false": [false, "false"]
                            case _: (Int(word).map { [.number($0)] } ?? []) + [.text(word)]
                            }
                        })
                ]
            ]
        case .texts: [list]
        case .oneOrMore: [text1, list]
        case .section(let keys): [object(keys)]
        case .named(let value):
            [["type": "object", "additionalProperties": ["anyOf": .list(values(value))]]]
        case .listed(let keys), .rows(let keys): [["type": "array", "items": object(keys)]]
        case .either(let shapes): shapes.flatMap(values)
        }
    }

    private static let list: JSONText = ["type": "array", "items": text1]
}

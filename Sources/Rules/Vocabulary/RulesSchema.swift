import Models
import YAMLSource

/// The JSON Schema (draft-07) of rule files, made from the tables of the language. Editors use it for
/// completion and checks.
///
/// It covers structure and keywords. Other checks of `opus rules check`, such as invalid patterns or
/// undefined names, cannot be expressed in a schema.
enum RulesSchema {
    static var text: String { root.written() + "\n" }

    private static var root: JSONText {
        [
            "$schema": "http://json-schema.org/draft-07/schema#",
            "$id": "https://magnum-opus.example/schema/rules-1.json",
            "title": "Magnum Opus rules, version 1",
            "type": "object",
            "required": ["rules-version"],
            "additionalProperties": false,
            "properties": properties(RuleFileReader.fileKeys, file),
            "definitions": [
                "text": ["type": ["string", "number", "boolean"]],
                "texts": oneOrMany(text: "text"),
                "yes-or-no": ["type": "boolean"],
                "form": form,
                "forms": oneOrMany(text: "form"),
                "condition": condition,
                "conditions": [
                    "anyOf": [ref("condition"), ["type": "array", "minItems": 1, "items": ref("condition")]]
                ],
                "rule": rule,
                "action": action,
                "test": test,
                "mail": mail,
            ],
        ]
    }

    // MARK: Files and rules

    private static func file(_ key: String) -> JSONText {
        switch key {
        case "rules-version": ["enum": [1, "1"]]
        case "accounts": ref("texts")
        case "lists":
            object(of: ["anyOf": [ref("texts"), closed(["file"]) { _ in ref("text") }]])
        case "define": object(of: ref("condition"))
        case "protect":
            [
                "anyOf": [
                    object(of: ref("condition")), ["type": "array", "items": object(of: ref("condition"))],
                ]
            ]
        case "rules":
            [
                "type": "array",
                "items": ["anyOf": [ref("rule"), group]],
            ]
        case "tests": ["type": "array", "items": ref("test")]
        case _: ref("text")
        }
    }

    private static var group: JSONText {
        [
            "type": "object", "required": ["choose"], "additionalProperties": false,
            "properties": [
                "choose": ["type": "array", "minItems": 1, "items": ref("rule")], "description": ref("text"),
            ],
        ]
    }

    private static var rule: JSONText {
        [
            "type": "object", "required": ["id", "when", "then"], "additionalProperties": false,
            "properties": properties(RuleFileReader.ruleKeys) { key in
                switch key {
                case "when", "unless": ref("condition")
                case "then":
                    ["anyOf": [ref("action"), ["type": "array", "minItems": 1, "items": ref("action")]]]
                case "stop", "continue", "enabled", "auto": ref("yes-or-no")
                case "accounts", "mailboxes": ref("texts")
                case "id": ["type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"]
                case _: ref("text")
                }
            },
        ]
    }

    // MARK: Conditions

    private static var condition: JSONText {
        [
            "anyOf": [
                ["type": "string", "minLength": 1, "description": "a query: opus help query"],
                [
                    "type": "object", "minProperties": 1, "additionalProperties": false,
                    "properties": .object(logic + conditions + families),
                    "patternProperties": ["^header:[^:]+$": ref("forms")],
                ],
            ]
        ]
    }

    private static var logic: [(key: String, value: JSONText)] {
        [("all", ref("conditions")), ("any", ref("conditions")), ("not", ref("conditions"))]
    }

    private static var conditions: [(key: String, value: JSONText)] {
        ConditionTable.entries.compactMap { entry in
            guard let value = value(entry.meaning) else { return nil }
            let words = "\(entry.help), such as \(entry.example)"
            return (entry.name, ["description": .text(words), "allOf": [value]])
        }
    }

    /// nil: the word is not a key but a word of its family; or the key is a pattern.
    private static func value(_ meaning: ConditionMeaning) -> JSONText? {
        switch meaning {
        case .address, .text: ref("forms")
        case .thread: ref("conditions")
        case .amount, .age, .time, .clock, .weekday, .keyword, .mailbox, .rule, .taskList, .waited, .identity:
            ref("texts")
        case .authentication: ["enum": .list(ValueReader.results.map { .text($0) })]
        case .header, .state: nil
        }
    }

    /// `is`, `has`, `thread`, `task` with their words. `is` also accepts definitions; `sender` is also a
    /// condition.
    private static var families: [(key: String, value: JSONText)] {
        ConditionTable.families.sorted().compactMap { family in
            guard ConditionTable.entry(family) == nil else { return nil }
            let words = ConditionTable.entries.filter { entry in
                guard entry.name.hasPrefix(family + ":"), case .state = entry.meaning else { return false }
                return true
            }.map { String($0.name.dropFirst(family.count + 1)) }
            guard !words.isEmpty else { return nil }
            let known: JSONText = ["enum": .list(words.map { .text($0) })]
            let word: JSONText = family == "is" ? ["anyOf": [known, ["type": "string"]]] : known
            return (family, ["anyOf": [word, ["type": "array", "minItems": 1, "items": word]]])
        }
    }

    private static var form: JSONText {
        ["anyOf": [ref("text"), closed(ConditionReader.formNames) { _ in ref("texts") }]]
    }

    // MARK: Actions

    private static var action: JSONText {
        let known = ActionTable.entries
        let plain = known.filter { $0.value.isEmpty || $0.value.hasPrefix("nothing") }
        let keys = known.map { entry -> (key: String, value: JSONText) in
            (entry.name, ["description": .text(entry.help), "anyOf": .list(values(of: entry))])
        }
        return [
            "anyOf": [
                ["enum": .list(plain.map { .text($0.name) })],
                [
                    "type": "object", "minProperties": 1, "additionalProperties": false,
                    "properties": .object(keys),
                ],
            ]
        ]
    }

    private static func values(of entry: ActionEntry) -> [JSONText] {
        var values: [JSONText] = []
        if entry.value.isEmpty || entry.value.hasPrefix("nothing") { values.append(["type": "null"]) }
        if entry.value.isEmpty { values.append(["enum": [true]]) }
        switch entry.form {
        case .words(let words): values.append(["enum": .list(words.map { .text($0) })])
        case .texts: values.append(ref("texts"))
        case .text: values.append(ref("text"))
        case .nothing, .fields: break
        }
        if !entry.fields.isEmpty {
            values.append(closed(entry.fields, required: entry.required, field))
        }
        return values
    }

    private static func field(_ name: String) -> JSONText {
        switch name {
        case "context", "name", "type": ref("texts")
        case "send": ["enum": ["draft", "now"]]
        case "create": ref("yes-or-no")
        case _: ref("text")
        }
    }

    // MARK: Tests

    private static var test: JSONText {
        closed(RuleTestReader.keys, required: ["name", "mail", "expect"]) { key in
            switch key {
            case "mail": ref("mail")
            case "known": ref("texts")
            case "expect": closed(ExpectationReader.keys) { $0.hasSuffix("labels") ? anyTexts : [:] }
            case _: ref("text")
            }
        }
    }

    private static var mail: JSONText {
        closed(RuleTestReader.mailKeys) { key in
            switch key {
            case "headers": object(of: ref("texts"))
            case "attachments", "tasks": ["type": "array"]
            case "thread": ["type": "array", "items": ref("mail")]
            case "open-task", "duplicate": ref("yes-or-no")
            case "auth": object(of: ref("text"))
            case "signed": ["enum": .list(SignatureVerdict.Outcome.allCases.map { .text($0.rawValue) })]
            case _: ref("texts")
            }
        }
    }

    // MARK: Types

    private static func ref(_ name: String) -> JSONText { ["$ref": .text("#/definitions/" + name)] }

    private static func oneOrMany(text name: String) -> JSONText {
        ["anyOf": [ref(name), ["type": "array", "minItems": 1, "items": ref(name)]]]
    }

    /// An empty list may be expected.
    private static let anyTexts: JSONText = [
        "anyOf": [ref("text"), ["type": "array", "items": ref("text")]]
    ]

    private static func object(of value: JSONText) -> JSONText {
        ["type": "object", "additionalProperties": value]
    }

    private static func properties(_ keys: [String], _ value: (String) -> JSONText) -> JSONText {
        .object(keys.map { ($0, value($0)) })
    }

    /// An object with exactly these keys allowed.
    private static func closed(
        _ keys: [String], required: [String] = [], _ value: (String) -> JSONText
    ) -> JSONText {
        var pairs: [(key: String, value: JSONText)] = [("type", "object"), ("additionalProperties", false)]
        if !required.isEmpty { pairs.append(("required", .list(required.map { .text($0) }))) }
        return .object(pairs + [("properties", properties(keys, value))])
    }
}

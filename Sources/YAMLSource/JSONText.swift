/// JSON to write: keys stay in the given order.
public indirect enum JSONText: Sendable {
    case text(String)
    case number(Int)
    case bool(Bool)
    case list([JSONText])
    case object([(key: String, value: JSONText)])

    /// Indented by two blanks for each level; empty lists and objects are on one line.
    public func written(indent: String = "") -> String {
        let inner = indent + "  "
        switch self {
        case .text(let text): return Self.quoted(text)
        case .number(let number): return String(number)
        case .bool(let value): return value ? "true" : "false"
        case .list(let items):
            if items.allSatisfy(\.isScalar) {
                return "[" + items.map { $0.written() }.joined(separator: ", ") + "]"
            }
            return "[\n" + items.map { inner + $0.written(indent: inner) }.joined(separator: ",\n")
                + "\n\(indent)]"
        case .object(let pairs):
            if pairs.isEmpty { return "{}" }
            let lines = pairs.map { inner + Self.quoted($0.key) + ": " + $0.value.written(indent: inner) }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
        }
    }

    private var isScalar: Bool {
        switch self {
        case .text, .number, .bool: true
        case .list, .object: false
        }
    }

    /// RFC 8259 §7.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\" + String(scalar)
            case _ where scalar.value < 0x20:
                let hex = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            case _: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

extension JSONText: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral
{
    public init(stringLiteral value: String) { self = .text(value) }
    public init(arrayLiteral elements: JSONText...) { self = .list(elements) }
    public init(dictionaryLiteral elements: (String, JSONText)...) {
        self = .object(elements.map { ($0.0, $0.1) })
    }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int) { self = .number(value) }
}

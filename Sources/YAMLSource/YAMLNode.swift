/// A node of a YAML document, with its place.
///
/// Scalars are always text: `no`, `1.10` and `12:30` stay as typed, because the types of YAML 1.1 are surprising. The
/// reader of a node decides its meaning.
public struct YAMLNode: Sendable {
    public indirect enum Kind: Sendable {
        case scalar(String, ScalarStyle)
        case sequence([YAMLNode])
        case mapping([(key: YAMLNode, value: YAMLNode)])
    }

    /// The form of a scalar. YAML 1.2 §7.3, §8.1.
    public enum ScalarStyle: Sendable {
        case plain
        case singleQuoted
        case doubleQuoted
        /// A `|` block.
        case literal
        /// A `>` block.
        case folded
    }

    public let kind: Kind
    /// From 1.
    public let line: Int
    /// From 1, in Characters.
    public let column: Int

    public init(kind: Kind, line: Int, column: Int) {
        self.kind = kind
        self.line = line
        self.column = column
    }

    /// The text of a scalar.
    public var scalar: String? {
        switch kind {
        case .scalar(let text, _): text
        case .sequence, .mapping: nil
        }
    }

    public var sequence: [YAMLNode]? {
        switch kind {
        case .sequence(let nodes): nodes
        case .scalar, .mapping: nil
        }
    }

    public var mapping: [(key: YAMLNode, value: YAMLNode)]? {
        switch kind {
        case .mapping(let pairs): pairs
        case .scalar, .sequence: nil
        }
    }

    /// The value under a key of a mapping; nil for other nodes.
    public subscript(key: String) -> YAMLNode? {
        mapping?.first { $0.key.scalar == key }?.value
    }

    /// Whether the value is missing: `key:`, `key: ~` or `key: null`.
    public var isEmpty: Bool {
        switch kind {
        case .scalar(let text, .plain): text.isEmpty || text == "~" || text == "null"
        case .scalar, .sequence, .mapping: false
        }
    }

    /// The kind of the node in a user's words.
    public var kindName: String {
        switch kind {
        case .scalar: isEmpty ? "nothing" : "text"
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }
}

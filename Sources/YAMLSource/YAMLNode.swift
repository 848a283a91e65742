/// One node of a YAML document that a person wrote, with the place where it begins.
///
/// Scalars are text and nothing else: `no`, `1.10` and `12:30` stay what was typed, because the types of
/// YAML 1.1 surprise everyone. The reader of a node decides what it means.
public struct YAMLNode: Sendable {
    public indirect enum Kind: Sendable {
        case scalar(String, ScalarStyle)
        case sequence([YAMLNode])
        case mapping([(key: YAMLNode, value: YAMLNode)])
    }

    /// How a scalar was written. YAML 1.2 §7.3, §8.1.
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
    /// 1-based.
    public let line: Int
    /// 1-based, in Characters.
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

    /// A value that was left out: `key:`, `key: ~` or `key: null`.
    public var isEmpty: Bool {
        switch kind {
        case .scalar(let text, .plain): text.isEmpty || text == "~" || text == "null"
        case .scalar, .sequence, .mapping: false
        }
    }

    /// What the node is, in a user's words.
    public var kindName: String {
        switch kind {
        case .scalar: isEmpty ? "nothing" : "text"
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }
}

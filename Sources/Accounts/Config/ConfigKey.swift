/// One key of `opus.yaml`: what may follow it, what holds without it, and what it is for.
///
/// The table of all keys is ``ConfigTable``; `opus config` and the JSON Schema are made from it. The readers check more than
/// it says; a test compares their keys with it.
public struct ConfigKey: Sendable {
    /// What may follow a key.
    public indirect enum Shape: Sendable {
        case text
        case number(ClosedRange<Int>)
        case words([String])
        /// A list of texts.
        case texts
        /// One text, or a list of them.
        case oneOrMore
        /// A mapping with these keys and no others.
        case section([ConfigKey])
        /// A mapping whose keys the user chooses.
        case named(Shape)
        /// A list of mappings, each found by its `name`.
        case listed([ConfigKey])
        /// A list of mappings that have no names.
        case rows([ConfigKey])
        case either([Shape])
    }

    public let name: String
    public let shape: Shape
    /// What holds without the key, as it would be written; nil: nothing, or it depends.
    public let standard: String?
    public let isRequired: Bool
    public let help: String

    init(
        _ name: String, _ shape: Shape, standard: String? = nil, isRequired: Bool = false, _ help: String
    ) {
        self.name = name
        self.shape = shape
        self.standard = standard
        self.isRequired = isRequired
        self.help = help
    }
}

extension ConfigKey.Shape {
    /// The keys of a mapping of this shape; empty where the user chooses them.
    public var keys: [ConfigKey] {
        switch self {
        case .section(let keys), .listed(let keys): keys
        case .either(let shapes): shapes.flatMap(\.keys)
        case .text, .number, .words, .texts, .oneOrMore, .named, .rows: []
        }
    }

    /// The shape of the values under keys that the user chooses.
    var named: ConfigKey.Shape? {
        switch self {
        case .named(let shape): shape
        case .either(let shapes): shapes.lazy.compactMap(\.named).first
        case .text, .number, .words, .texts, .oneOrMore, .section, .listed, .rows: nil
        }
    }
}

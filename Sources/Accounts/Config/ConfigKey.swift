/// One key of `opus.yaml`: its values, its default, and its purpose.
///
/// All keys are in the table ``ConfigTable``, from which `opus config` and the JSON Schema are made. The
/// readers check more than the table describes; a test compares their keys with it.
public struct ConfigKey: Sendable {
    /// The kind of value.
    public indirect enum Shape: Sendable {
        case text
        case number(ClosedRange<Int>)
        case words([String])
        /// A list of texts.
        case texts
        /// One text, or a list of them.
        case oneOrMore
        /// A mapping with exactly these keys allowed.
        case section([ConfigKey])
        /// A mapping whose keys the user chooses.
        case named(Shape)
        /// A list of mappings, each identified by its `name`.
        case listed([ConfigKey])
        /// A list of mappings that have no names.
        case rows([ConfigKey])
        case either([Shape])
    }

    public let name: String
    public let shape: Shape
    /// The default, as it would be written; nil: there is none, or it depends on other settings.
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
    /// The keys of a mapping of this kind; empty if the user chooses them.
    public var keys: [ConfigKey] {
        switch self {
        case .section(let keys), .listed(let keys): keys
        case .either(let shapes): shapes.flatMap(\.keys)
        case .text, .number, .words, .texts, .oneOrMore, .named, .rows: []
        }
    }

    /// The kind of the values under keys that the user chooses.
    var named: ConfigKey.Shape? {
        switch self {
        case .named(let shape): shape
        case .either(let shapes): shapes.lazy.compactMap(\.named).first
        case .text, .number, .words, .texts, .oneOrMore, .section, .listed, .rows: nil
        }
    }
}

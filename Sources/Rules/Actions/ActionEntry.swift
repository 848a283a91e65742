import Models

/// The description of an action for help pages, the checker and the schema.
public struct ActionEntry: Sendable {
    /// The kind of value after the name, for the schema.
    enum Value: Sendable {
        case nothing
        case text
        /// One text, or a list of them.
        case texts
        case words([String])
        /// Only a mapping with the fields.
        case fields
    }

    let action: ActionName
    public var name: String { action.rawValue }
    /// A description of the value after the name; empty if there is none.
    public let value: String
    let form: Value
    /// The keys of the mapping form.
    public let fields: [String]
    /// The required keys among them.
    public let required: [String]
    public let help: String
    public let example: String

    init(
        _ action: ActionName, value: String = "", form: Value = .nothing, fields: [String] = [],
        required: [String] = [], help: String, example: String = ""
    ) {
        self.action = action
        self.value = value
        self.form = form
        self.fields = fields
        self.required = required
        self.help = help
        self.example = example.isEmpty ? action.rawValue : example
    }

    /// Decides where the message is moved; a message has at most one such action.
    public var isDisposition: Bool { action.family == .place }
}

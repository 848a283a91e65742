import Models

/// One action, as help pages, the checker and the schema describe it.
public struct ActionEntry: Sendable {
    /// What may follow the name, for the schema.
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
    /// What may follow the name, in words; empty when nothing may.
    public let value: String
    let form: Value
    /// The keys of the mapping form.
    public let fields: [String]
    /// Of those, the keys that must be there.
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

    /// Decides where the message ends up; a message has one such action.
    public var isDisposition: Bool { action.family == .place }
}

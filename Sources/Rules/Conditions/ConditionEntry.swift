/// The description of a condition for the checker, the query parser and the help pages.
public struct ConditionEntry: Sendable {
    /// The key of a mapping and the prefix of a query: `from`, `has:pdf`, `header:<name>`.
    public let name: String
    public let group: String
    /// The value that may follow the name; empty if it takes none.
    public let value: String
    public let help: String
    public let example: String
    let meaning: ConditionMeaning

    init(_ name: String, _ group: String, _ meaning: ConditionMeaning, _ help: String, _ example: String) {
        self.name = name
        self.group = group
        self.meaning = meaning
        self.help = help
        self.example = example
        value = meaning.valueHelp
    }
}

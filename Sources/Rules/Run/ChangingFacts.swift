/// Facts of a message that a triage may change: rules that use them see the results of earlier triages.
public struct ChangingFacts: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The open tasks of its conversation.
    public static let tasks = ChangingFacts(rawValue: 1)
    /// Its flags and labels.
    public static let marks = ChangingFacts(rawValue: 2)
    /// The other messages of its conversation.
    public static let thread = ChangingFacts(rawValue: 4)
}

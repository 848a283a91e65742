/// A repeating task moves on: the same task, on the next day of its series.
///
/// It names the day before the roll, so that the same roll cannot be made twice.
public struct TodoRoll: Hashable, Codable, Sendable {
    /// The occurrence that is done: DTSTART, else DUE.
    public var from: TodoDate
    /// The occurrence that comes next.
    public var to: TodoDate
    /// DTSTART and DUE of the next one; nil where the task has none.
    public var start: TodoDate?
    public var due: TodoDate?
    /// The rule with its COUNT less by what is done; nil: the rule stays.
    public var rule: String?
    /// The task stays where its rule counts from, and what is done is written beside it as an instance.
    public var asInstance: Bool?

    public init(from: TodoDate, to: TodoDate) {
        self.from = from
        self.to = to
    }
}

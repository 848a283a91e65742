/// A repeating task continues: the same task gets the next date of its series.
///
/// It names the date before the roll, so that the same roll cannot happen twice.
public struct TodoRoll: Hashable, Codable, Sendable {
    /// The occurrence that is done: DTSTART, else DUE.
    public var from: TodoDate
    /// The occurrence that comes next.
    public var to: TodoDate
    /// DTSTART and DUE of the next occurrence; nil: the task has no such property.
    public var start: TodoDate?
    public var due: TodoDate?
    /// The rule with a COUNT reduced by the done occurrences; nil: the rule stays.
    public var rule: String?
    /// Whether the dates of the task stay, because its rule counts from them. The done occurrence is then written as an
    /// instance.
    public var asInstance: Bool?

    public init(from: TodoDate, to: TodoDate) {
        self.from = from
        self.to = to
    }
}

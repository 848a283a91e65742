public import Models

/// Tells answers that people write from those that programs send.
///
/// Pure: the same message gives the same kind. What the header says counts first; subject and text decide only where it
/// says nothing. In doubt a message is from a person: an answer that is shown too early costs less than one that is
/// missed.
extension ParsedMessage {
    /// What the message is as an answer. `day`: when it was sent; dates in its text without a year are near that day.
    public func answerKind(asOf day: CalendarDate) -> AnswerKind {
        AnswerReader(AnswerEvidence(self), day: day).kind
    }
}

extension AnswerKind {
    /// The names of the header fields that ``init(of:asOf:)`` needs, in lower case.
    public static var headerNames: Set<String> { AnswerEvidence.fieldNames }

    /// The kind of a stored message, with its header and text. `day`: when it was sent, in the user's zone.
    ///
    /// The store keeps the text of a delivery report, not its machine-readable part, so the recipients are those that the
    /// text names.
    public init(of facts: MessageFacts, asOf day: CalendarDate) {
        self = AnswerReader(AnswerEvidence(facts), day: day).kind
    }
}

public import Models

/// Distinguishes answers of people from those of programs.
///
/// A pure function of the message. The header counts first; subject and text decide only if it shows nothing. In doubt,
/// the message is from a person, because showing an answer too early is better than missing one.
extension ParsedMessage {
    /// How the message answers an earlier one. `day`: when it was sent; dates in its text without a year are near that
    /// day.
    public func answerKind(asOf day: CalendarDate) -> AnswerKind {
        AnswerReader(AnswerEvidence(self), day: day).kind
    }
}

extension AnswerKind {
    /// The names of the header fields that ``init(of:asOf:)`` needs, in lower case.
    public static var headerNames: Set<String> { AnswerEvidence.fieldNames }

    /// The kind of a stored message, from its header and text. `day`: when it was sent, in the user's zone.
    ///
    /// The text of a stored delivery report shows what its machine-readable part says about each recipient. In a store
    /// of an earlier version it does not, so there the recipients are those named in the text for people.
    public init(of facts: MessageFacts, asOf day: CalendarDate) {
        self = AnswerReader(AnswerEvidence(facts), day: day).kind
    }
}

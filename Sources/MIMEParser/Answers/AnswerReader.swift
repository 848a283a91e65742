import Models

/// Weighs the evidence, the strongest first.
struct AnswerReader {
    private let evidence: AnswerEvidence
    private let day: CalendarDate

    init(_ evidence: AnswerEvidence, day: CalendarDate) {
        self.evidence = evidence
        self.day = day
    }

    var kind: AnswerKind {
        if let word = evidence.first("auto-submitted"), !word.hasPrefix("no") {
            return .automaticReply(returns: nil)
        }
        return .human
    }
}

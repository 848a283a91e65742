import Models

extension AnswerKind {
    init(of facts: MessageFacts, asOf: CalendarDate) {
        let word = facts.header("auto-submitted").first ?? "no"
        if facts.from.contains(where: { $0.localPart.lowercased() == "mailer-daemon" }) {
            self = .bounce(recipients: [], isPermanent: true)
        } else if word != "no" {
            self = .automaticReply(returns: nil)
        } else {
            self = .human
        }
    }
}

import Pipeline

/// One line for each order, with the run that undoes it.
enum OrderText {
    struct Line {
        var text: String
        var isFailure = false
    }

    static func lines(_ report: OrderReport, isPreview: Bool = false) -> [Line] {
        let runs = Set(report.runs.compactMap(\.run))
        let run = runs.count == 1 ? runs.first.map { "  (run \($0))" } ?? "" : ""
        return report.orders.map { order in
            let mail = ReturnedText.words(order.mail)
            let mailbox = TerminalText.line(order.mailbox)
            guard let failure = order.failure else {
                return Line(
                    text: isPreview
                        ? "would carry out \(mailbox): \(mail)" : "order \(mailbox): \(mail)\(run)")
            }
            return Line(
                text: "order \(mailbox) not carried out: \(mail): \(TerminalText.line(failure))",
                isFailure: true)
        }
            + report.strange.map {
                Line(
                    text: "\(TerminalText.line($0.mailbox)) \(TerminalText.line($0.reason))", isFailure: true)
            }
    }
}

import Pipeline

/// One line for each order.
enum OrderText {
    struct Line {
        var text: String
        var isFailure = false
    }

    static func lines(_ report: OrderReport, isPreview: Bool = false) -> [Line] {
        report.orders.map { order in
            let mail = ReturnedText.words(order.mail)
            let mailbox = TerminalText.line(order.mailbox)
            guard let failure = order.failure else {
                return Line(text: "\(isPreview ? "would carry out" : "order") \(mailbox): \(mail)")
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

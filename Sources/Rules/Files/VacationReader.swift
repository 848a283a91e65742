import Models
import YAMLSource

/// Reads `vacation:`: a text, or a mapping with the text, the subject, the days and whether it is sent.
struct VacationReader {
    let report: Report
    /// The named groups that the rule's patterns make.
    let captures: Set<String>

    private static let days = 1...365

    func read(_ node: YAMLNode) -> VacationTemplate? {
        guard let pairs = node.mapping else {
            return report.template(node, "'vacation'", captures: captures).map { VacationTemplate(text: $0) }
        }
        let areKnown = report.checkKeys(
            pairs, ActionTable.vacationFields, code: "R014", "field of 'vacation'")
        guard let place = node["text"] else {
            if areKnown {
                report.error("R003", node, "'vacation' needs 'text'", "vacation: { text: 'Back on Monday.' }")
            }
            return nil
        }
        guard let text = report.template(place, "'text'", captures: captures) else { return nil }
        var result = VacationTemplate(text: text)
        result.subject = node["subject"].flatMap { report.template($0, "'subject'", captures: captures) }
        if let days = node["days"] {
            guard let number = days.scalar.flatMap({ Int($0) }), Self.days.contains(number) else {
                report.error("R020", days, "'days' is a number from 1 to 365")
                return nil
            }
            result.days = number
        }
        guard let sending = report.sending(node["send"]) else { return nil }
        result.sending = sending
        return result
    }
}

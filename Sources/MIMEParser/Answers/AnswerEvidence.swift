import Models

/// The parts of a message that show whether a person or a program wrote it, from any source.
struct AnswerEvidence {
    /// Header bodies by field name, in lower case; only the start of each body.
    private let fields: [String: [String]]
    /// In lower case.
    let subject: String
    let from: [EmailAddress]
    /// The recipients, usually the user. A bounce is never about them.
    let to: [EmailAddress]
    /// The machine-readable part of a report; nil: none. Of a stored delivery report, what its text shows.
    let report: Report?
    let calendar: CalendarPart?
    /// The sender's text, without quotes and signature; only the start of a long text.
    let ownText: String

    enum CalendarPart {
        /// A part of the message: an invitation, or an answer to one.
        case shown
        /// An attached file, which a person may have added.
        case file
    }

    private static let textLimit = 16 * 1_024
    private static let bodyLimit = 1_000

    init(_ message: ParsedMessage) {
        let envelope = message.envelope
        fields = Self.gather(message.headers)
        subject = envelope.subject.lowercased()
        from = envelope.from
        to = envelope.to
        report = message.report
        let isAnswer = ["REPLY", "COUNTER", "DECLINECOUNTER", "REFRESH"].contains(message.calendarMethod)
        calendar = isAnswer ? .shown : Self.calendar(fields, message.attachments)
        ownText = Self.ownText(message.text(withReports: true))
    }

    init(_ facts: MessageFacts) {
        fields = Self.gather(facts.headers)
        subject = facts.subject.lowercased()
        from = facts.from
        to = facts.to
        let isReport = fields["content-type"]?.first?.hasPrefix("multipart/report") ?? false
        report = isReport ? DeliveryReport(shownIn: facts.text ?? "").map { .delivery($0) } : nil
        calendar = Self.calendar(fields, facts.attachments)
        ownText = Self.ownText(facts.text ?? "")
    }

    /// All bodies of a field; the name is in lower case.
    func all(_ name: String) -> [String] { fields[name] ?? [] }
    func first(_ name: String) -> String? { fields[name]?.first }
    func has(_ name: String) -> Bool { fields[name] != nil }
    func hasAny(_ names: Set<String>) -> Bool { !names.isDisjoint(with: fields.keys) }

    /// Whether the type of the root is `multipart/report; report-type=…`.
    var isMultipartReport: Bool { first("content-type")?.hasPrefix("multipart/report") ?? false }

    private static func gather(_ headers: [HeaderField]) -> [String: [String]] {
        var fields: [String: [String]] = [:]
        for header in headers {
            let name = header.name.lowercased()
            guard fieldNames.contains(name) else { continue }
            fields[name, default: []].append(String(header.body.prefix(bodyLimit)).lowercased())
        }
        return fields
    }

    private static func calendar(_ fields: [String: [String]], _ files: [Attachment]) -> CalendarPart? {
        if fields["content-type"]?.first?.hasPrefix("text/calendar") ?? false { return .shown }
        let files = files.filter { $0.contentType == "text/calendar" || $0.contentType == "application/ics" }
        return files.isEmpty ? nil : files.contains { $0.name.isEmpty } ? .shown : .file
    }

    private static func ownText(_ text: String) -> String {
        TextZones.ownText(of: String(text.prefix(textLimit)))
    }

    static let fieldNames: Set<String> = AutomaticFields.names.union(RelaySystems.names).union(
        ListFields.names
    )
    .union(["content-type", "return-path", "x-failed-recipients", "user-agent", "x-mailer"])
}

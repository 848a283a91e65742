import Models

/// What is known of a message, wherever it was read from.
struct AnswerEvidence {
    /// Header bodies by field name, all in lower case; of each body only the start.
    private let fields: [String: [String]]
    /// In lower case.
    let subject: String
    let from: [EmailAddress]
    /// The recipients, that is mostly the user: a bounce is not about them.
    let to: [EmailAddress]
    /// The machine-readable part of a report; nil also where the store does not keep it.
    let report: Report?
    let calendar: CalendarPart?
    /// What the sender wrote, without quotes and signature; of a long text only the start.
    let ownText: String

    enum CalendarPart {
        /// Part of the message itself: an invitation, or an answer to one.
        case shown
        /// A file beside the text, which a person may have attached.
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
        ownText = Self.ownText(message.text())
    }

    init(_ facts: MessageFacts) {
        fields = Self.gather(facts.headers)
        subject = facts.subject.lowercased()
        from = facts.from
        to = facts.to
        report = nil
        calendar = Self.calendar(fields, facts.attachments)
        ownText = Self.ownText(facts.text ?? "")
    }

    /// All bodies of a field, which is named in lower case.
    func all(_ name: String) -> [String] { fields[name] ?? [] }
    func first(_ name: String) -> String? { fields[name]?.first }
    func has(_ name: String) -> Bool { fields[name] != nil }
    func hasAny(_ names: Set<String>) -> Bool { !names.isDisjoint(with: fields.keys) }

    /// Of the root: `multipart/report; report-type=…`.
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

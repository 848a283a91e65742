import Models

/// What is known of a message, wherever it was read from.
struct AnswerEvidence {
    /// Header bodies by field name, all in lower case; of each body only the start.
    private let fields: [String: [String]]
    let subject: String
    let from: [EmailAddress]
    /// Whether it answers or follows another message.
    let refersToAnother: Bool
    let report: Report?
    /// The method of its calendar part; empty where it has one that does not say.
    let calendarMethod: String?
    /// What the sender wrote, without quotes and signature; of a long text only the start.
    let ownText: String

    static let textLimit = 16 * 1_024
    private static let bodyLimit = 1_000

    init(_ message: ParsedMessage) {
        let envelope = message.envelope
        fields = Self.gather(message.headers)
        subject = envelope.subject
        from = envelope.from
        refersToAnother = !envelope.inReplyTo.isEmpty || !envelope.references.isEmpty
        report = message.report
        calendarMethod = message.calendarMethod
        ownText = Self.ownText(message.text())
    }

    init(_ facts: MessageFacts) {
        fields = Self.gather(facts.headers)
        subject = facts.subject
        from = facts.from
        refersToAnother = fields["in-reply-to"] != nil || fields["references"] != nil
        report = nil
        // A calendar file that a person attaches has a name.
        let isCalendar = facts.attachments.contains { $0.contentType == "text/calendar" && $0.name.isEmpty }
        let type = fields["content-type"]?.first ?? ""
        calendarMethod = isCalendar || type.hasPrefix("text/calendar") ? "" : nil
        ownText = Self.ownText(facts.text ?? "")
    }

    /// All bodies of a field, which is named in lower case.
    func all(_ name: String) -> [String] { fields[name] ?? [] }
    func first(_ name: String) -> String? { fields[name]?.first }
    func has(_ name: String) -> Bool { fields[name] != nil }

    private static func gather(_ headers: [HeaderField]) -> [String: [String]] {
        var fields: [String: [String]] = [:]
        for header in headers {
            let name = header.name.lowercased()
            guard fieldNames.contains(name) else { continue }
            fields[name, default: []].append(String(header.body.prefix(bodyLimit)).lowercased())
        }
        return fields
    }

    private static func ownText(_ text: String) -> String {
        TextZones.ownText(of: String(text.prefix(textLimit)))
    }

    static let fieldNames: Set<String> = [
        "auto-submitted", "precedence", "content-type", "return-path", "in-reply-to", "references",
    ]
}

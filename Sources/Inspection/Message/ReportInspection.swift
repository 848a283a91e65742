public import MIMEParser
public import Models

/// The machine-readable parts of a message. All of it is a claim of the sender.
public struct ReportInspection: Encodable, Sendable {
    public struct Recipient: Encodable, Sendable {
        public var finalRecipient: String?
        public var originalRecipient: String?
        public var action: String?
        public var status: String?
        public var remoteMTA: String?
        public var diagnosticCode: String?
        public var lastAttempt: String?

        init(_ recipient: DeliveryReport.Recipient) {
            finalRecipient = recipient.finalRecipient
            originalRecipient = recipient.originalRecipient
            action = recipient.action?.rawValue
            status = recipient.status
            remoteMTA = recipient.remoteMTA
            diagnosticCode = recipient.diagnosticCode
            lastAttempt = recipient.lastAttempt?.rfc3339
        }
    }

    /// `delivery` (RFC 3464) or `disposition` (RFC 8098).
    public var kind: String
    public var originalMessageID: String?
    public var reportingMTA: String?
    public var arrivalDate: String?
    /// Of a delivery report only.
    public var recipients: [Recipient]?
    /// Of a disposition report only, as are the next three.
    public var finalRecipient: String?
    public var originalRecipient: String?
    public var mode: String?
    public var type: String?

    init(_ report: Report) {
        switch report {
        case .delivery(let report):
            kind = "delivery"
            originalMessageID = report.originalMessageID?.rawValue
            reportingMTA = report.reportingMTA
            arrivalDate = report.arrivalDate?.rfc3339
            recipients = report.recipients.map(Recipient.init)
        case .disposition(let report):
            kind = "disposition"
            originalMessageID = report.originalMessageID?.rawValue
            finalRecipient = report.finalRecipient
            originalRecipient = report.originalRecipient
            mode = report.mode
            type = report.type
        }
    }
}

/// One line above the text of a message: a name and a value.
public struct FactLine: Sendable {
    public var name: String
    public var words: String

    static func all(of message: ParsedMessage) -> [FactLine] {
        protection(message.protection)
            + (message.report.map(lines) ?? [])
            + (message.calendarMethod.map { [FactLine(name: "Calendar", words: $0)] } ?? [])
    }

    /// For a synced message. Without a verdict, it only claims to be signed.
    public static func protection(
        _ protection: Protection?, _ verdict: SignatureVerdict?
    ) -> [FactLine] {
        guard let verdict else { return self.protection(protection) }
        return [
            FactLine(name: verdict.outcome == .broken ? "Signature" : "Signed", words: verdict.words)
        ]
    }

    static func protection(_ protection: Protection?) -> [FactLine] {
        switch protection {
        case .signed: [FactLine(name: "Signed", words: "not verified")]
        case .encrypted: [FactLine(name: "Encrypted", words: "not decrypted")]
        case nil: []
        }
    }

    /// The most recipients shown; the others are only counted.
    private static let shown = 5

    private static func lines(_ report: Report) -> [FactLine] {
        switch report {
        case .disposition(let report):
            let who = report.finalRecipient ?? report.originalRecipient
            let words = [report.type ?? "unknown", who.map { "by \($0)" }].compactMap(\.self)
            return [FactLine(name: "Receipt", words: words.joined(separator: " "))]
        case .delivery(let report):
            var lines = report.recipients.prefix(shown).map {
                FactLine(name: "Report", words: words(of: $0))
            }
            if report.recipients.count > shown {
                lines.append(FactLine(name: "", words: "and \(report.recipients.count - shown) more"))
            }
            return lines
        }
    }

    private static func words(of recipient: DeliveryReport.Recipient) -> String {
        let who = recipient.finalRecipient ?? recipient.originalRecipient ?? "an unknown recipient"
        let what =
            switch recipient.action {
            case .failed: "Delivery failed for \(who)"
            case .delayed: "Delivery is delayed for \(who)"
            case .delivered: "Delivered to \(who)"
            case .relayed: "Passed on to \(who)"
            case .expanded: "Passed on to the members of \(who)"
            case nil: "Delivery report for \(who)"
            }
        let why = [recipient.status, recipient.diagnosticCode].compactMap(\.self).joined(separator: " ")
        return why.isEmpty ? what : "\(what): \(why)"
    }
}

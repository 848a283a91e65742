import Models

/// Reads delivery status notifications (RFC 3464) and disposition notifications (RFC 8098).
extension ParsedMessage {
    /// The report in the message; nil: mail of people, or a bounce without machine-readable part.
    public var report: Report? {
        for part in parts where part.contentType.type == "message" && !isInsideMessage(part) {
            switch part.contentType.subtype {
            case "delivery-status", "global-delivery-status":
                return .delivery(deliveryReport(part))
            case "disposition-notification", "global-disposition-notification":
                return .disposition(dispositionReport(part))
            case _: break
            }
        }
        return nil
    }

    func deliveryReport(_ part: Part) -> DeliveryReport {
        var groups = FieldGroups(decodedStart(of: part, limit: limits.headerBlock), limits: limits)
        var report = DeliveryReport()
        if let message = groups.next() {
            report.reportingMTA = message.typed("reporting-mta")
            report.arrivalDate = message.date("arrival-date")
            // Some reports lack the fields about the message, or the empty line after them.
            if message.has("final-recipient") { report.recipients.append(.init(message)) }
        }
        while report.recipients.count < DeliveryReport.recipientLimit, let fields = groups.next() {
            report.recipients.append(.init(fields))
        }
        report.originalMessageID = returnedMessageID(besides: part)
        return report
    }

    private func dispositionReport(_ part: Part) -> DispositionReport {
        var groups = FieldGroups(decodedStart(of: part, limit: limits.headerBlock), limits: limits)
        var report = DispositionReport()
        guard let fields = groups.next() else { return report }
        report.originalMessageID =
            fields["original-message-id"].flatMap { MessageIDs.own(Array($0.utf8)[...]) }
            ?? returnedMessageID(besides: part)
        report.finalRecipient = fields.typed("final-recipient")
        report.originalRecipient = fields.typed("original-recipient")
        // Such as manual-action/MDN-sent-manually; displayed/error. RFC 8098 §3.2.6.
        let pieces = (fields["disposition"] ?? "").utf8.split(separator: ASCII.semicolon, maxSplits: 1)
        report.mode = pieces.first.flatMap { Self.word($0) }
        report.type = pieces.dropFirst().first.flatMap { Self.word($0.prefix { $0 != ASCII.slash }) }
        return report
    }

    private static func word(_ text: Substring.UTF8View) -> String? {
        let word = Array(text)[...].trimmed
        return word.isEmpty ? nil : word.lowercasedText
    }

    /// The Message-ID in the returned message or header.
    private func returnedMessageID(besides report: Part) -> MessageID? {
        for part in parts where part.parent == report.parent && part.index > report.index {
            switch (part.contentType.type, part.contentType.subtype) {
            case ("message", "rfc822"), ("message", "global"), ("message", "global-headers"),
                ("message", "rfc822-headers"), ("text", "rfc822-headers"):
                let header =
                    part.children.first.map { Array(bytes[parts[$0].headerRange]) }
                    ?? decodedStart(of: part, limit: limits.headerBlock)
                return HeaderBlock.envelope(of: header, limits: limits).messageID
            case _: break
            }
        }
        return nil
    }
}

extension DeliveryReport {
    /// What it says about each recipient, as ``init(shownIn:)`` reads it again.
    var shownText: String {
        recipients.prefix(Self.shownRecipients).compactMap { recipient in
            guard let final = recipient.finalRecipient ?? recipient.originalRecipient else { return nil }
            let fields = [
                ("Final-Recipient", final), ("Original-Recipient", recipient.originalRecipient),
                ("Action", recipient.action?.rawValue), ("Status", recipient.status),
                ("Diagnostic-Code", recipient.diagnosticCode),
            ]
            return fields.compactMap { name, value in
                value.map { "\(name): \(TextLines.capped(HeaderText.clean($0), to: Self.longestValue))\n" }
            }
            .joined()
        }
        .joined(separator: "\n")
    }

    private static let shownRecipients = 32
    /// Of a field, in bytes.
    private static let longestValue = 1_000
    /// They are at the end of the text, in at most this many bytes.
    private static let shownBytes = 64 * 1_024

    /// The recipients that the text of a stored report shows; nil: it shows none.
    init?(shownIn text: String) {
        self.init()
        var groups = FieldGroups(Array(text.utf8.suffix(Self.shownBytes)), limits: MIMELimits())
        while recipients.count < Self.recipientLimit, let fields = groups.next() {
            if fields.has("final-recipient") { recipients.append(.init(fields)) }
        }
        if recipients.isEmpty { return nil }
    }
}

extension DeliveryReport.Recipient {
    fileprivate init(_ fields: FieldGroup) {
        finalRecipient = fields.typed("final-recipient")
        originalRecipient = fields.typed("original-recipient")
        action = fields["action"].flatMap { DeliveryReport.Action(rawValue: $0.lowercased()) }
        status = fields["status"].map { String($0.prefix { $0 != " " && $0 != "(" }) }
        remoteMTA = fields.typed("remote-mta")
        diagnosticCode = fields.typed("diagnostic-code")
        lastAttempt = fields.date("last-attempt-date")
    }
}

/// The fields of one group; the first one counts if a field is repeated.
private struct FieldGroup {
    private let fields: [HeaderField]

    init(_ fields: [HeaderField]) { self.fields = fields }

    subscript(name: String) -> String? {
        let body = fields.first { $0.name.lowercased() == name }?.body
        return body?.isEmpty ?? true ? nil : body
    }

    func has(_ name: String) -> Bool { self[name] != nil }

    func date(_ name: String) -> Timestamp? { self[name].flatMap { MailDate.read(Array($0.utf8)[...]) } }

    /// The value without its type: `rfc822; ann@example.org`. RFC 3464 §2.1.2.
    func typed(_ name: String) -> String? {
        guard let body = self[name] else { return nil }
        let bytes = Array(body.utf8)[...]
        guard let semicolon = bytes.firstIndex(of: ASCII.semicolon),
            bytes[..<semicolon].trimmed.allSatisfy(\.isToken)
        else { return body }
        let value = bytes[(semicolon + 1)...].trimmed
        return value.isEmpty ? nil : value.text
    }
}

/// Groups of fields, separated by empty lines. RFC 3464 §2.1.
private struct FieldGroups {
    private let bytes: [UInt8]
    private let limits: MIMELimits
    private var position = 0

    init(_ bytes: [UInt8], limits: MIMELimits) {
        self.bytes = bytes
        self.limits = limits
    }

    mutating func next() -> FieldGroup? {
        var start: Int?
        var end = position
        while let line = ByteLine(in: bytes[...], at: position) {
            let isBlank = bytes[line.content].isBlank
            if isBlank, start != nil { break }
            position = line.next
            if isBlank { continue }
            if start == nil { start = line.content.lowerBound }
            end = line.next
        }
        guard let start else { return nil }
        return FieldGroup(HeaderBlock.fields(of: bytes[start..<end], limits: limits))
    }
}

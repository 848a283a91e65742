import Models

/// Conditions on the attached files of a message: their presence, names, types and sizes.
extension ConditionEntry {
    static let hasAttachment = ConditionEntry(
        "has:attachment", "structure", .state(.hasAttachment), "has a file attached", "has:attachment")

    static let hasPDF = ConditionEntry(
        "has:pdf", "structure", .state(.hasPDF), "has a PDF attached", "has:pdf")

    static let attachmentName = ConditionEntry(
        "attachment:name", "structure", .text(.attachmentName), "the name of an attached file",
        "attachment:name:*.pdf")

    static let attachmentText = ConditionEntry(
        "attachment:text", "structure", .text(.attachmentText),
        "the text of an attached file, if attachment-text is on",
        "attachment:text:invoice")

    static let attachmentType = ConditionEntry(
        "attachment:type", "structure", .text(.attachmentType), "the MIME type of an attached file",
        "attachment:type:image/*")

    static let attachmentSize = ConditionEntry(
        "attachment:size", "structure", .amount(.attachmentSize), "the size of an attached file",
        "attachment:size>5M")
}

extension State {
    static let hasAttachment = State(
        name: "has:attachment", rank: 3,
        sieve: .plain(
            "header :mime :anychild :matches \"Content-Disposition\" \"attachment*\"", requires: "mime"),
        sieveAtMost: .mayHaveFile,
        holds: { sight in Truth(sight.facts.attachments.contains { !$0.isInline }) },
        seen: { $0.list($0.attachmentNames, none: "no attachments") })

    static let hasPDF = State(
        name: "has:pdf", rank: 3, sieve: .some([.hasPart("application/pdf"), .hasFile(ending: "pdf")]),
        holds: { sight in
            Truth(
                sight.facts.attachments.contains {
                    $0.contentType == "application/pdf" || $0.name.lowercased().hasSuffix(".pdf")
                })
        },
        seen: { $0.list($0.attachmentNames, none: "no attachments") })
}

extension Amount {
    static let attachmentSize = Amount(
        unit: .bytes, values: { $0.facts.attachments.map(\.size) },
        seen: { sight in
            let sizes = sight.facts.attachments.map { counted($0.size, "byte") }
            return sizes.isEmpty ? "no attachments" : sizes.joined(separator: ", ")
        })
}

extension SieveCondition {
    /// A part of that type. RFC 5703 §4.
    static func hasPart(_ type: String) -> SieveCondition {
        .plain(
            "header :mime :anychild :contenttype :is \"Content-Type\" \(quoted(type))", requires: "mime")
    }

    /// A part with any disposition or name, or of a type other than plain text and HTML. RFC 5703 §4.
    static let mayHaveFile = SieveCondition.some([
        .plain("header :mime :anychild :matches \"Content-Disposition\" \"*\"", requires: "mime"),
        .plain(
            "header :mime :anychild :param \"name\" :matches \"Content-Type\" \"*\"", requires: "mime"),
        .plain(
            "header :mime :anychild :contenttype :matches \"Content-Type\" "
                + list(
                    ["application", "audio", "font", "image", "message", "model", "video"].map { $0 + "/*" }
                        + ["text/calendar", "text/csv", "text/vcard", "text/x-*"]), requires: "mime"),
    ])

    static func hasFile(ending: String) -> SieveCondition {
        .plain(
            "header :mime :anychild :param \"filename\" :matches \"Content-Disposition\" \"*.\(ending)\"",
            requires: "mime")
    }
}

import MIMEParser
public import Models

/// A complete message from a file or an account, parsed once.
public struct OpenMessage: Sendable {
    /// The argument that names it.
    public let name: String
    private let parsed: ParsedMessage

    public init(_ bytes: [UInt8], name: String) {
        self.name = name
        parsed = MIMEParser.parse(bytes)
    }

    public var bytes: [UInt8] { parsed.bytes }
    public var headers: [HeaderField] { parsed.headers }
    /// Includes what a delivery report says about each recipient.
    public var text: String { parsed.text(withReports: true) }
    public var attachments: [Attachment] { parsed.attachments }

    /// Includes the header fields only if `withHeaders` is true.
    ///
    /// `fields`: the names, in lower case, of the fields whose bytes to include.
    public func inspection(
        withHeaders: Bool = false, fields names: [String]? = nil
    ) -> MessageInspection {
        var inspection = MessageInspection(parsed, file: name)
        if withHeaders { inspection.headers = headers }
        if let names { inspection.fields = fields(names) }
        return inspection
    }

    /// The header fields with these names (in lower case), in the order of the message.
    public func fields(_ names: [String]) -> [FieldInspection] {
        parsed.rawFields.filter { names.contains($0.name.lowercased()) }.map {
            FieldInspection($0, of: parsed.bytes)
        }
    }

    public func structure() -> MessageStructure { MessageStructure(parsed, file: name) }

    public func summary() -> MessageSummary { MessageSummary(parsed) }

    /// The HTML of the body as safe HTML.
    public func safeHTML() throws(Problem) -> SafeHTML {
        guard let html = parsed.html else {
            throw Problem(
                "no-html", exit: .notFound, message: "the message has no HTML text",
                next: ["opus show --text \(name)"])
        }
        return SafeHTML(html)
    }

    /// The decoded bytes of one part, by its section number.
    public func part(_ section: String) throws(Problem) -> [UInt8] {
        if let body = parsed.decodedBody(section: section) { return body }
        let known = parsed.attachments.prefix(20).map { "\($0.section) (\($0.name))" }
        throw Problem(
            "no-such-part", exit: .notFound, message: "the message has no part \(section)",
            next: known.isEmpty
                ? ["opus show --structure \(name)"] : ["one of: " + known.joined(separator: ", ")])
    }

    /// Saves the attachments into a folder, with safe names and never over an existing file.
    public func saveAttachments(to folder: String) throws(Problem) -> [SavedAttachment] {
        var saved: [SavedAttachment] = []
        var contents = FileContents(parsed)
        for file in parsed.attachments {
            guard let body = contents.bytes(of: file) else { continue }
            let path = try SafeFile.write(body, named: file.name, in: folder)
            saved.append(
                SavedAttachment(section: file.section, name: file.name, path: path, size: body.count))
        }
        return saved
    }
}

public struct SavedAttachment: Encodable, Sendable {
    public var section: String
    /// The sender's name for the file.
    public var name: String
    public var path: String
    public var size: Int
}

/// The header fields that opus shows above the text.
public struct MessageSummary: Sendable {
    public var from: [EmailAddress]
    public var to: [EmailAddress]
    public var cc: [EmailAddress]
    public var subject: String
    /// In the sender's zone; nil: missing or unreadable.
    public var date: String?
    public var facts: [FactLine]
    public var defects: Int

    init(_ message: ParsedMessage) {
        let envelope = message.envelope
        from = envelope.from
        to = envelope.to
        cc = envelope.cc
        subject = envelope.subject
        date = WrittenDate(message)?.words
        facts = FactLine.all(of: message)
        defects = DefectInspection.all(of: message).count
    }
}

/// The tree of parts, and the defects of the message.
public struct MessageStructure: Sendable {
    public struct Row: Sendable {
        public var section: String
        public var depth: Int
        public var contentType: String
        public var charset: String?
        public var encoding: String
        public var size: Int
        public var name: String
    }

    public var file: String
    public var size: Int
    public var rows: [Row]
    /// `missingCloseBoundary at byte 123`
    public var defects: [String]

    init(_ message: ParsedMessage, file: String) {
        self.file = file
        size = message.bytes.count
        defects = DefectInspection.all(of: message).map(\.words)
        let files = message.attachments
        // `2:1` belongs below the first part with the number `2`.
        var held = Dictionary(
            grouping: files.filter { $0.section.contains(":") }, by: { $0.section.prefix { $0 != ":" } })
        rows = PartInspection.all(of: message).flatMap { part in
            [Row(part)]
                + (held.removeValue(forKey: part.section[...]) ?? []).map { Row($0, depth: part.depth + 1) }
        }
    }
}

extension MessageStructure.Row {
    fileprivate init(_ part: PartInspection) {
        self.init(
            section: part.section, depth: part.depth, contentType: part.contentType, charset: part.charset,
            encoding: part.encoding, size: part.size, name: part.filename ?? "")
    }

    fileprivate init(_ file: Attachment, depth: Int) {
        self.init(
            section: file.section, depth: depth, contentType: file.contentType, charset: nil, encoding: "",
            size: file.size, name: file.name)
    }
}

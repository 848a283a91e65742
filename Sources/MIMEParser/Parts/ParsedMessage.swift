public import Models

/// A message: its bytes, the positions of its parts, and functions that decode them.
///
/// Nothing is decoded before it is needed, and no result is kept: `headers`, `envelope` and `text()` do their work each
/// time, so call them once.
public struct ParsedMessage: Sendable {
    public let bytes: [UInt8]
    /// In the order of the message; the first part is the message itself.
    public let parts: [Part]
    public let defects: [Defect]
    let limits: MIMELimits
    let fields: [RawField]

    init(bytes: [UInt8], parts: [Part], fields: [RawField], defects: [Defect], limits: MIMELimits) {
        self.bytes = bytes
        self.parts =
            parts.isEmpty
            ? [
                Part(
                    index: 0, parent: nil, section: SectionPath([1]), depth: 1, headerRange: 0..<0,
                    bodyRange: 0..<0)
            ] : parts
        self.fields = fields
        self.defects = defects
        self.limits = limits
    }

    public var root: Part { parts[0] }

    /// Whether a limit prevented reading all of the message. Such a message is listed, but rules must not move it.
    public var isBeyondLimits: Bool { defects.contains(where: \.name.isLimit) }

    /// The names of the exceeded limits, in order and without duplicates.
    public var exceededLimits: [String] {
        var names: [String] = []
        for defect in defects where defect.name.isLimit && !names.contains(defect.name.rawValue) {
            names.append(defect.name.rawValue)
        }
        return names
    }

    // MARK: Header

    /// The header block, including the empty line.
    public var headerRange: Range<Int> { root.headerRange }
    public var headerBlock: ArraySlice<UInt8> { bytes[headerRange] }

    /// The header block for a digest; see ``HeaderBlock/canonical(_:)``.
    public var canonicalHeaderBlock: [UInt8] { HeaderBlock.canonical(bytes, range: headerRange) }

    /// Every field, decoded to one line.
    public var headers: [HeaderField] { HeaderBlock.decode(fields, of: fields, in: bytes, limits: limits) }

    /// The original bodies of all fields of this name, in order. Names are compared without case.
    public func rawHeader(_ name: String) -> [ArraySlice<UInt8>] {
        fields.named(name, in: bytes).map { bytes[$0.body] }
    }

    /// Every field of the header, in order.
    public var rawFields: [FieldBytes] {
        fields.map {
            FieldBytes(
                name: HeaderText.clean(bytes[$0.name].text), range: $0.name.lowerBound..<$0.body.upperBound,
                body: bytes[$0.body])
        }
    }

    /// The decoded bodies of all fields of this name.
    public func header(_ name: String) -> [String] {
        HeaderBlock.decode(fields.named(name, in: bytes), of: fields, in: bytes, limits: limits).map(\.body)
    }

    public var envelope: Envelope { Envelope(fields: fields, in: bytes, limits: limits) }

    // MARK: Parts

    /// The part with this number; if a message/rfc822 and the multipart inside it share the number, the former.
    public func part(at section: SectionPath) -> Part? {
        parts.first { $0.section == section }
    }

    /// The decoded bytes of a part, up to a limit.
    public func decodedBody(of part: Part, limit: Int = .max) -> [UInt8] {
        let body = bytes[part.bodyRange]
        switch part.transferEncoding {
        case .base64 where !part.isContainer: return Base64.decode(body, limit: limit)
        case .quotedPrintable where !part.isContainer: return QuotedPrintable.decode(body, limit: limit)
        case .identity, .unknown, .base64, .quotedPrintable: return Array(body.prefix(limit))
        }
    }

    /// The first decoded bytes of a part; fewer if most of the encoded text is invalid.
    func decodedStart(of part: Part, limit: Int) -> [UInt8] {
        var start = part
        let body = part.bodyRange
        start.bodyRange = body.lowerBound..<min(body.upperBound, body.lowerBound + 4 * min(limit, body.count))
        return decodedBody(of: start, limit: limit)
    }

    /// The word of `Content-Transfer-Encoding` in lower case; `7bit`: the field is missing.
    public func transferEncodingWord(of part: Part) -> String {
        guard let field = part.encodingField else { return "7bit" }
        let word = bytes[field].trimmed.drop { $0 == ASCII.quote }.prefix {
            !$0.isBlank && $0 != ASCII.semicolon && $0 != ASCII.quote && $0 < 0x7F
        }
        return word.isEmpty ? "7bit" : word.prefix(64).lowercasedText
    }

    /// The number of bytes that ``decodedBody(of:limit:)`` returns, without decoding them.
    public func decodedSize(of part: Part) -> Int {
        let body = bytes[part.bodyRange]
        switch part.transferEncoding {
        case .base64 where !part.isContainer: return Base64.decodedCount(body)
        case .quotedPrintable where !part.isContainer: return QuotedPrintable.decodedCount(body)
        case .identity, .unknown, .base64, .quotedPrintable: return body.count
        }
    }
}

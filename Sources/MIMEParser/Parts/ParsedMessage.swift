public import Models

/// A message as bytes, the places of its parts, and what can be read from them.
///
/// Nothing is decoded before a caller needs it, and no result is kept: `headers`, `envelope` and `text()` do their
/// work each time, so call them once.
public struct ParsedMessage: Sendable {
    public let bytes: [UInt8]
    /// In the order of the message; the first is the message itself.
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

    /// Whether a limit kept us from looking at all of it: list it, but let no rule dispose of it.
    public var isBeyondLimits: Bool { defects.contains(where: \.name.isLimit) }

    /// The names of those limits, each once, in order.
    public var exceededLimits: [String] {
        var names: [String] = []
        for defect in defects where defect.name.isLimit && !names.contains(defect.name.rawValue) {
            names.append(defect.name.rawValue)
        }
        return names
    }

    // MARK: Header

    /// The header block with the empty line that ends it.
    public var headerRange: Range<Int> { root.headerRange }
    public var headerBlock: ArraySlice<UInt8> { bytes[headerRange] }

    /// The header block for a fingerprint; see ``HeaderBlock/canonical(_:)``.
    public var canonicalHeaderBlock: [UInt8] { HeaderBlock.canonical(bytes, range: headerRange) }

    /// Every field, decoded to one line.
    public var headers: [HeaderField] { HeaderBlock.decode(fields, in: bytes, limits: limits) }

    /// The bodies of every field of that name as they came, in order; names are compared without case.
    public func rawHeader(_ name: String) -> [ArraySlice<UInt8>] {
        let wanted = name.utf8.map(\.lowercasedASCII)
        return fields.filter { bytes[$0.name].map(\.lowercasedASCII) == wanted }.map { bytes[$0.body] }
    }

    /// Every field of the header, in order.
    public var rawFields: [FieldBytes] {
        fields.map {
            FieldBytes(
                name: HeaderText.clean(bytes[$0.name].text), range: $0.name.lowerBound..<$0.body.upperBound,
                body: bytes[$0.body])
        }
    }

    /// The bodies of every field of that name, decoded.
    public func header(_ name: String) -> [String] {
        rawHeader(name).map { EncodedWord.decode($0, limit: limits.encodedWords) }
    }

    public var envelope: Envelope { Envelope(fields: fields, in: bytes, limits: limits) }

    // MARK: Parts

    /// The part of a number; of a message/rfc822 part and the multipart inside it, the former.
    public func part(at section: SectionPath) -> Part? {
        parts.first { $0.section == section }
    }

    /// The bytes of a part without its transfer encoding, up to a limit.
    public func decodedBody(of part: Part, limit: Int = .max) -> [UInt8] {
        let body = bytes[part.bodyRange]
        switch part.transferEncoding {
        case .base64 where !part.isContainer: return Base64.decode(body, limit: limit)
        case .quotedPrintable where !part.isContainer: return QuotedPrintable.decode(body, limit: limit)
        case .identity, .unknown, .base64, .quotedPrintable: return Array(body.prefix(limit))
        }
    }

    /// The first bytes of a part without its transfer encoding. Of an encoding that is mostly rubbish less comes.
    func decodedStart(of part: Part, limit: Int) -> [UInt8] {
        var start = part
        let body = part.bodyRange
        start.bodyRange = body.lowerBound..<min(body.upperBound, body.lowerBound + 4 * min(limit, body.count))
        return decodedBody(of: start, limit: limit)
    }

    /// The word of `Content-Transfer-Encoding` in lower case; `7bit` where the field is missing.
    public func transferEncodingWord(of part: Part) -> String {
        guard let field = part.encodingField else { return "7bit" }
        let word = bytes[field].trimmed.drop { $0 == ASCII.quote }.prefix {
            !$0.isBlank && $0 != ASCII.semicolon && $0 != ASCII.quote && $0 < 0x7F
        }
        return word.isEmpty ? "7bit" : word.prefix(64).lowercasedText
    }

    /// How many bytes ``decodedBody(of:limit:)`` gives, without making them.
    public func decodedSize(of part: Part) -> Int {
        let body = bytes[part.bodyRange]
        switch part.transferEncoding {
        case .base64 where !part.isContainer: return Base64.decodedCount(body)
        case .quotedPrintable where !part.isContainer: return QuotedPrintable.decodedCount(body)
        case .identity, .unknown, .base64, .quotedPrintable: return body.count
        }
    }
}

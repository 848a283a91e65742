/// A message in the form that a server accepts: parts with bytes or lines that it does not accept become quoted-printable or
/// base64. RFC 6152 §3, RFC 5322 §2.1.1, RFC 2045 §2.7.
///
/// Nothing else changes. The parts of a signed or encrypted message must stay as they are (RFC 1847 §2.1), and so must
/// header fields and reports. A message in a message must not be encoded itself (RFC 2046 §5.2.1): its parts are, and if that
/// is not enough, it becomes a file `message.eml` with its bytes, which mail programs open.
public enum SevenBitMessage {
    /// The message for a server that does not accept 8-bit bytes; nil: some would remain.
    public static func converted(_ message: [UInt8]) -> [UInt8]? {
        written(BodyWriter.withCRLF(message), without: .eightBit)?.whole
    }

    /// The message without lines of more than 998 bytes and without NUL in its parts; nil: they are in a signed or encrypted
    /// part.
    public static func withShortLines(_ message: [UInt8]) -> [UInt8]? {
        guard Fault.longLines.isIn(message[...]) else { return message }
        guard let written = written(BodyWriter.withCRLF(message), without: .longLines) else { return message }
        return written.hasProtectedFault ? nil : written.bytes
    }

    /// Something that not every server accepts.
    fileprivate enum Fault {
        case eightBit
        /// Lines that are too long, or NUL.
        case longLines

        func isIn(_ bytes: ArraySlice<UInt8>) -> Bool {
            switch self {
            case .eightBit: bytes.contains { $0 >= 0x80 }
            case .longLines: bytes.contains(ASCII.nul) || BodyWriter.longestLine(bytes) > 998
            }
        }
    }

    fileprivate struct Written {
        var bytes: [UInt8]
        var fault: Fault
        /// Whether the fault is in a part that must not change.
        var hasProtectedFault: Bool

        /// nil: the fault is still there.
        var whole: [UInt8]? { fault.isIn(bytes[...]) ? nil : bytes }
    }

    /// nil: it is not clear what its parts are.
    fileprivate static func written(_ message: [UInt8], without fault: Fault) -> Written? {
        let parsed = MIMEParser.parse(message)
        guard !parsed.isBeyondLimits, !parsed.defects.contains(where: { $0.name == .repeatedContentField })
        else {
            return nil
        }
        var writer = PartEncoder(parsed, without: fault)
        return writer.write()
    }
}

private struct PartEncoder {
    private let message: ParsedMessage
    private let fault: SevenBitMessage.Fault
    private var output: [UInt8] = []
    /// Up to here, the message is in the output.
    private var position = 0

    init(_ message: ParsedMessage, without fault: SevenBitMessage.Fault) {
        self.message = message
        self.fault = fault
    }

    mutating func write() -> SevenBitMessage.Written {
        let hasVersion = !message.rawHeader("MIME-Version").isEmpty
        var hasProtectedFault = false
        // The parts of an attached message are done with it.
        var next = 0
        for part in message.parts where part.range.lowerBound >= next {
            let isFaulty = fault.isIn(message.bytes[part.bodyRange])
            if isProtected(part) {
                hasProtectedFault = hasProtectedFault || isFaulty
            } else if part.isContainer, part.contentType.isMessage, part.parent != nil {
                if isFaulty { attach(part) } else { labelSevenBit(part) }
                next = part.bodyRange.upperBound
            } else if part.isContainer {
                labelSevenBit(part)
            } else if isFaulty {
                encode(part, declaringVersion: part.parent == nil && !hasVersion)
            }
        }
        output += message.bytes[position...]
        return .init(bytes: output, fault: fault, hasProtectedFault: hasProtectedFault)
    }

    /// Whether it is a signed or encrypted part, or in one.
    private func isProtected(_ part: Part) -> Bool {
        var current: Int? = part.index
        while let index = current {
            let type = message.parts[index].contentType
            if type.isMultipart, type.subtype == "signed" || type.subtype == "encrypted" { return true }
            current = message.parts[index].parent
        }
        return false
    }

    private mutating func labelSevenBit(_ part: Part) {
        guard fault == .eightBit, ["8bit", "binary"].contains(message.transferEncodingWord(of: part)) else {
            return
        }
        change(part, to: "7bit")
    }

    /// Encodes the parts of an attached message, or attaches it as a file. ``MIMELimits/depth`` bounds how many are in each
    /// other. A report has the original message as its last
    /// part, and programs look for it there.
    private mutating func attach(_ part: Part) {
        let inner = Array(message.bytes[part.bodyRange])
        if let bytes = SevenBitMessage.written(inner, without: fault)?.whole {
            labelSevenBit(part)
            copy(upTo: part.bodyRange.lowerBound)
            output += bytes
        } else {
            let isInReport = part.parent.map { message.parts[$0].contentType.subtype == "report" } ?? false
            guard !isInReport, let file = file(of: part, inner) else { return }
            copy(upTo: part.headerRange.lowerBound)
            output += file
        }
        position = part.bodyRange.upperBound
    }

    /// The line break at the end of the file's part belongs to the boundary.
    private func file(of part: Part, _ inner: [UInt8]) -> [UInt8]? {
        var name = HeaderText.clean(message.fileName(of: part))
        if !name.lowercased().hasSuffix(".eml") { name = name.isEmpty ? "message.eml" : name + ".eml" }
        let file = MessageBuilder.File(name: name, contentType: "application/octet-stream", bytes: inner)
        guard let written = try? BodyWriter.file(file) else { return nil }
        return written.bytes.dropLast(2)
    }

    private mutating func encode(_ part: Part, declaringVersion: Bool) {
        let type = part.contentType
        guard !type.isMultipart, type.type != "message" else { return }
        let encoding: String
        let encoded: [UInt8]
        switch part.transferEncoding {
        case .identity:
            let body = Array(message.bytes[part.bodyRange])
            let quoted = type.type == "text" ? QuotedPrintable.encode(body) : []
            let isReadable = !quoted.isEmpty && quoted.count <= 2 * body.count
            encoding = isReadable ? "quoted-printable" : "base64"
            encoded = isReadable ? quoted : Base64.encode(body, lineLength: 76)
        // In lines that are too long.
        case .base64 where fault == .longLines:
            encoding = "base64"
            encoded = Base64.encode(message.decodedBody(of: part), lineLength: 76)
        case .quotedPrintable where fault == .longLines:
            encoding = "quoted-printable"
            encoded = QuotedPrintable.encode(message.decodedBody(of: part))
        case .base64, .quotedPrintable, .unknown: return
        }
        change(part, to: encoding, declaringVersion: declaringVersion)
        copy(upTo: part.bodyRange.lowerBound)
        output += encoded
        position = part.bodyRange.upperBound
        if encoding == "base64", position == message.bytes.count { output += [ASCII.cr, ASCII.lf] }
    }

    /// Replaces the field, or adds it at the end of the header.
    private mutating func change(_ part: Part, to encoding: String, declaringVersion: Bool = false) {
        if let field = part.encodingField {
            let word = message.bytes[field].trimmed
            copy(upTo: word.startIndex)
            output += encoding.utf8
            position = word.endIndex
        }
        var fields = part.encodingField == nil ? "Content-Transfer-Encoding: \(encoding)\r\n" : ""
        if declaringVersion { fields += "MIME-Version: 1.0\r\n" }
        guard !fields.isEmpty else { return }
        let header = message.bytes[part.headerRange]
        let isEnded =
            header.elementsEqual([ASCII.cr, ASCII.lf]) || header.suffix(4).elementsEqual("\r\n\r\n".utf8)
        copy(upTo: isEnded ? header.endIndex - 2 : header.endIndex)
        output += fields.utf8
        if !isEnded { output += [ASCII.cr, ASCII.lf] }
    }

    private mutating func copy(upTo end: Int) {
        guard end > position else { return }
        output += message.bytes[position..<end]
        position = end
    }
}

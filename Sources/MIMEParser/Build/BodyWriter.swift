/// Writes single parts of a message: its texts, files, attached messages. RFC 2045 §6.
enum BodyWriter {
    struct Part {
        /// Fields with their CRLF, without the empty line.
        var header: [UInt8]
        var body: [UInt8]
        /// Whether a server must take bytes above 127.
        var isEightBit = false

        var bytes: [UInt8] { header + [ASCII.cr, ASCII.lf] + body }
    }

    // MARK: Texts

    /// Plain text. `isFlowed` breaks long lines softly where that keeps every byte; see ``FlowedWriter``.
    static func text(_ text: String, isFlowed: Bool = false) -> Part {
        let body = lines(text)
        let type = "text/plain; charset=utf-8"
        guard isFlowed, let flowed = FlowedWriter.soften(body) else { return readable(body, type: type) }
        return readable(flowed, type: type + "; format=flowed")
    }

    static func html(_ html: String) -> Part { readable(lines(html), type: "text/html; charset=utf-8") }

    static func calendar(_ calendar: MessageBuilder.Calendar) throws(BuilderError) -> Part {
        guard !calendar.method.isEmpty, calendar.method.utf8.allSatisfy({ $0.isLetter }) else {
            throw BuilderError(.badContentType, field: "Content-Type", value: calendar.method)
        }
        return readable(
            lines(calendar.text), type: "text/calendar; charset=utf-8; method=\(calendar.method)")
    }

    /// As it is where it is short ASCII lines; quoted-printable while that stays readable; else base64.
    private static func readable(_ body: [UInt8], type: String) -> Part {
        let header = "Content-Type: \(type)\r\nContent-Transfer-Encoding: "
        if isSevenBit(body, lineLimit: 78) {
            return Part(header: Array((header + "7bit\r\n").utf8), body: body)
        }
        let quoted = QuotedPrintable.encode(body)
        guard quoted.count > body.count * 2 else {
            return Part(header: Array((header + "quoted-printable\r\n").utf8), body: quoted)
        }
        return Part(header: Array((header + "base64\r\n").utf8), body: base64(body))
    }

    /// Lines that end with CRLF, the last one too.
    private static func lines(_ text: String) -> [UInt8] {
        let body = withCRLF(Array(text.utf8))
        guard let last = body.last, last != ASCII.lf else { return body }
        return body + [ASCII.cr, ASCII.lf]
    }

    // MARK: Files

    /// A file, always in base64: its bytes come back exactly.
    static func file(_ file: MessageBuilder.File) throws(BuilderError) -> Part {
        let type = try contentType(file.contentType)
        if type == "message/rfc822" { return try message(file.bytes, name: file.name) }
        return Part(
            header: try fileHeader(file, type: type, disposition: "attachment"), body: base64(file.bytes))
    }

    /// An image that HTML shows by its `Content-ID`. RFC 2387, RFC 2392.
    static func inline(_ inline: MessageBuilder.InlineFile) throws(BuilderError) -> Part {
        let type = try contentType(inline.file.contentType)
        var header = HeaderWriter()
        try header.contentID(inline.contentID)
        let isMessage = type == "message/rfc822"
        let fields = try fileHeader(
            inline.file, type: isMessage ? "application/octet-stream" : type, disposition: "inline")
        return Part(header: fields + header.bytes, body: base64(inline.file.bytes))
    }

    private static func fileHeader(
        _ file: MessageBuilder.File, type: String, disposition: String
    ) throws(BuilderError) -> [UInt8] {
        var header = HeaderWriter()
        header.raw("Content-Type: \(type)")
        if type.hasPrefix("text/"), file.bytes.contains(where: { $0 >= 0x80 }),
            String(validating: file.bytes, as: UTF8.self) != nil
        {
            header.raw("; charset=utf-8")
        }
        header.raw(try ParameterWriter.parameter("name", file.name, field: "Content-Type") + "\r\n")
        header.raw("Content-Transfer-Encoding: base64\r\nContent-Disposition: \(disposition)")
        header.raw(
            try ParameterWriter.parameter("filename", file.name, field: "Content-Disposition") + "\r\n")
        return header.bytes
    }

    /// A message in a message. It may not be encoded (RFC 2046 §5.2.1), so one with lines that no server takes
    /// travels as a file.
    static func message(_ bytes: [UInt8], name: String = "") throws(BuilderError) -> Part {
        let body = withCRLF(withoutMboxLine(bytes))
        guard longestLine(body) <= 998, !body.contains(ASCII.nul) else {
            let name = name.isEmpty ? "message.eml" : name
            return try file(.init(name: name, contentType: "application/octet-stream", bytes: bytes))
        }
        var header = HeaderWriter()
        let isEightBit = body.contains { $0 >= 0x80 }
        header.raw("Content-Type: message/rfc822\r\n")
        header.raw("Content-Transfer-Encoding: \(isEightBit ? "8bit" : "7bit")\r\n")
        header.raw("Content-Disposition: attachment")
        header.raw(try ParameterWriter.parameter("filename", name, field: "Content-Disposition") + "\r\n")
        return Part(header: header.bytes, body: body, isEightBit: isEightBit)
    }

    /// `type/subtype` in lower case. Multiparts and other messages cannot travel in base64: they go as bytes.
    static func contentType(_ text: String) throws(BuilderError) -> String {
        let pieces = text.utf8.split(separator: ASCII.slash, omittingEmptySubsequences: false)
        guard pieces.count == 2, text.utf8.count <= 127,
            pieces.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isToken) })
        else { throw BuilderError(.badContentType, field: "Content-Type", value: text) }
        let type = text.lowercased()
        let isBox = type.hasPrefix("multipart/") || (type.hasPrefix("message/") && type != "message/rfc822")
        return isBox ? "application/octet-stream" : type
    }

    // MARK: Lines

    /// Every line end as CRLF: a lone CR or LF on the wire is how mail is smuggled.
    static func withCRLF(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + bytes.count / 40)
        var lastWasCR = false
        for byte in bytes {
            if byte == ASCII.cr || byte == ASCII.lf {
                if !(byte == ASCII.lf && lastWasCR) { output += [ASCII.cr, ASCII.lf] }
            } else {
                output.append(byte)
            }
            lastWasCR = byte == ASCII.cr
        }
        return output
    }

    private static func withoutMboxLine(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes[...].hasPrefix("From ") else { return bytes }
        return Array(bytes[LineReader(bytes).line(at: 0, limit: bytes.count).next...])
    }

    private static func isSevenBit(_ body: [UInt8], lineLimit: Int) -> Bool {
        let isClean = body.allSatisfy { byte in
            byte < 0x7F && (byte >= 0x20 || byte == ASCII.tab || byte == ASCII.cr || byte == ASCII.lf)
        }
        guard isClean, longestLine(body) <= lineLimit else { return false }
        // `From ` at the start of a line is changed by old programs on the way.
        return !body.split(separator: ASCII.lf).contains { $0.hasPrefix("From ") }
    }

    private static func longestLine(_ body: [UInt8]) -> Int {
        var longest = 0
        var current = 0
        for byte in body {
            if byte == ASCII.lf {
                longest = max(longest, current - 1)
                current = 0
            } else {
                current += 1
            }
        }
        return max(longest, current)
    }

    private static func base64(_ bytes: [UInt8]) -> [UInt8] {
        let encoded = Base64.encode(bytes, lineLength: 76)
        return encoded.isEmpty ? [] : encoded + [ASCII.cr, ASCII.lf]
    }
}

/// Writes single parts of a message: texts, files and attached messages. RFC 2045 §6.
enum BodyWriter {
    struct Part {
        /// The fields with their CRLF, without the empty line.
        var header: [UInt8]
        var body: [UInt8]
        /// Whether the part has bytes above 127, which servers must support.
        var isEightBit = false

        var bytes: [UInt8] { header + [ASCII.cr, ASCII.lf] + body }
    }

    // MARK: Texts

    /// Plain text. `isFlowed` adds soft breaks to long lines if no byte is lost; see ``FlowedWriter``.
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

    /// Unchanged if the lines are short and ASCII; quoted-printable if that stays readable; otherwise base64.
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

    /// Lines with CRLF, including the last one.
    private static func lines(_ text: String) -> [UInt8] {
        let body = withCRLF(Array(text.utf8))
        guard let last = body.last, last != ASCII.lf else { return body }
        return body + [ASCII.cr, ASCII.lf]
    }

    // MARK: Files

    /// A file, always in base64, so that its bytes stay the same.
    static func file(_ file: MessageBuilder.File) throws(BuilderError) -> Part {
        let type = try contentType(file.contentType)
        if type == "message/rfc822" { return try message(file.bytes, name: file.name) }
        return Part(
            header: try fileHeader(file, type: type, disposition: "attachment"), body: base64(file.bytes))
    }

    /// An image that the HTML refers to by its `Content-ID`. RFC 2387, RFC 2392.
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
        for parameter in file.parameters {
            header.raw(
                try ParameterWriter.parameter(parameter.name, parameter.value, field: "Content-Type"))
        }
        let hasCharset = file.parameters.contains { $0.name == "charset" }
        if !hasCharset, type.hasPrefix("text/"), file.bytes.contains(where: { $0 >= 0x80 }),
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

    /// A message in a message. It must not be encoded (RFC 2046 §5.2.1), so a message with lines that servers refuse
    /// becomes a file.
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

    /// `type/subtype` in lower case. Multiparts and other message types cannot be in base64, so they become plain
    /// bytes.
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

    /// Every line end as CRLF. A lone CR or LF could be used to smuggle mail.
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
        // Old programs change `From ` at the start of a line.
        return !body.split(separator: ASCII.lf).contains { $0.hasPrefix("From ") }
    }

    /// In bytes, without the CRLF.
    static func longestLine(_ body: some Sequence<UInt8>) -> Int {
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

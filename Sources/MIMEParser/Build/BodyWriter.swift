/// Writes the bodies of a message: text, files, attached messages, and the multipart round them.
enum BodyWriter {
    struct Part {
        /// Fields with their CRLF, without the empty line.
        var header: [UInt8]
        var body: [UInt8]

        var bytes: [UInt8] { header + [ASCII.cr, ASCII.lf] + body }
    }

    // MARK: Parts

    /// Plain text: as it is where it is short ASCII lines, else quoted-printable or base64, whichever is shorter.
    static func text(_ text: String) -> Part {
        var body = withCRLF(Array(text.utf8))
        if let last = body.last, last != ASCII.lf { body += [ASCII.cr, ASCII.lf] }
        let header = "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: "
        if isSevenBit(body, lineLimit: 78) {
            return Part(header: Array((header + "7bit\r\n").utf8), body: body)
        }
        let quoted = QuotedPrintable.encode(body)
        guard quoted.count > body.count * 2 else {
            return Part(header: Array((header + "quoted-printable\r\n").utf8), body: quoted)
        }
        return Part(header: Array((header + "base64\r\n").utf8), body: base64(body))
    }

    /// A file, always in base64: its bytes come back exactly.
    static func file(_ file: MessageBuilder.File) throws(BuilderError) -> Part {
        let type = try contentType(file.contentType)
        if type == "message/rfc822" { return try message(file.bytes, name: file.name) }
        var header = HeaderWriter()
        header.raw("Content-Type: \(type)")
        header.raw(try ParameterWriter.parameter("name", file.name, field: "Content-Type") + "\r\n")
        header.raw("Content-Transfer-Encoding: base64\r\nContent-Disposition: attachment")
        header.raw(
            try ParameterWriter.parameter("filename", file.name, field: "Content-Disposition") + "\r\n")
        return Part(header: header.bytes, body: base64(file.bytes))
    }

    /// A message in a message. It may not be encoded (RFC 2046 §5.2.1), so one with lines that no server takes
    /// travels as a file.
    static func message(_ bytes: [UInt8], name: String = "") throws(BuilderError) -> Part {
        let body = withCRLF(withoutMboxLine(bytes))
        let isFit = longestLine(body) <= 998 && !body.contains(ASCII.nul)
        guard isFit else {
            let name = name.isEmpty ? "message.eml" : name
            return try file(.init(name: name, contentType: "application/octet-stream", bytes: bytes))
        }
        var header = HeaderWriter()
        let encoding = body.allSatisfy { $0 < 0x80 } ? "7bit" : "8bit"
        header.raw("Content-Type: message/rfc822\r\nContent-Transfer-Encoding: \(encoding)\r\n")
        header.raw("Content-Disposition: attachment")
        header.raw(try ParameterWriter.parameter("filename", name, field: "Content-Disposition") + "\r\n")
        return Part(header: header.bytes, body: body)
    }

    static func joined(_ parts: [Part], boundary: String) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(parts.reduce(256) { $0 + $1.header.count + $1.body.count + 128 })
        for (index, part) in parts.enumerated() {
            output += Array(((index > 0 ? "\r\n" : "") + "--\(boundary)\r\n").utf8)
            output += part.header
            output += [ASCII.cr, ASCII.lf]
            output += part.body
        }
        output += Array("\r\n--\(boundary)--\r\n".utf8)
        return output
    }

    // MARK: Boundary

    /// A boundary that no line of the parts begins with. `=_` stands in no base64 and no quoted-printable text;
    /// for the rest it is looked for.
    static func boundary(absentFrom parts: [Part], seed: String) -> String {
        var hash = Fingerprint()
        hash.add(Array(seed.utf8))
        for part in parts { hash.add(part.body) }
        var boundary = "=_" + hash.text
        while parts.contains(where: { holds(boundary, $0.body) }) {
            hash.add(Array(boundary.utf8))
            boundary = "=_" + hash.text
        }
        return boundary
    }

    static func holds(_ boundary: String, _ body: [UInt8]) -> Bool {
        let lines = LineReader(body)
        let wanted = Array(boundary.utf8)
        var position = 0
        while let dashed = lines.dashedLine(from: position) {
            if body[(dashed + 2)...].starts(with: wanted) { return true }
            position = lines.line(at: dashed, limit: body.count).next
        }
        return false
    }

    /// FNV-1a, twice: it spreads boundaries, it protects nothing.
    private struct Fingerprint {
        private var low: UInt64 = 0xCBF2_9CE4_8422_2325
        private var high: UInt64 = 0x8422_2325_CBF2_9CE4

        mutating func add(_ bytes: [UInt8]) {
            for byte in bytes {
                low = (low ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
                high = (high ^ UInt64(byte ^ 0x5A)) &* 0x0000_0100_0000_01B3
            }
        }

        var text: String { String(high, radix: 36) + String(low, radix: 36) }
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

    /// `type/subtype` in lower case. Multiparts and other messages cannot travel in base64: they go as bytes.
    private static func contentType(_ text: String) throws(BuilderError) -> String {
        let pieces = text.utf8.split(separator: ASCII.slash, omittingEmptySubsequences: false)
        guard pieces.count == 2, text.utf8.count <= 127,
            pieces.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isToken) })
        else { throw BuilderError(.badContentType, field: "Content-Type", value: text) }
        let type = text.lowercased()
        let isBox = type.hasPrefix("multipart/") || (type.hasPrefix("message/") && type != "message/rfc822")
        return isBox ? "application/octet-stream" : type
    }
}

/// Writes one parameter, each piece on a line of its own. RFC 2045 §5.1, RFC 2231 §3–4.
enum ParameterWriter {
    /// `;\r\n filename="report.pdf"`, or its extended form; nothing for an empty value.
    static func parameter(_ name: String, _ value: String, field: String) throws(BuilderError) -> String {
        try HeaderWriter.refuseLineBreaks(value, field: field + " " + name)
        let bytes = Array(value.utf8)
        guard !bytes.isEmpty else { return "" }
        let isPlain = bytes.allSatisfy {
            $0 >= 0x20 && $0 < 0x7F && $0 != ASCII.quote && $0 != ASCII.backslash
        }
        if isPlain, bytes.count <= 60, !HeaderText.mayHoldWords(bytes[...]) {
            return ";\r\n \(name)=\"\(value)\""
        }
        let pieces = chunks(bytes)
        guard pieces.count > 1 else { return ";\r\n \(name)*=utf-8''\(pieces.joined())" }
        return pieces.enumerated().map { index, piece in
            ";\r\n \(name)*\(index)*=" + (index == 0 ? "utf-8''" : "") + piece
        }.joined()
    }

    private static func chunks(_ bytes: [UInt8]) -> [String] {
        var chunks: [String] = []
        var current = ""
        for byte in bytes {
            let isSafe = byte.isToken && byte != UInt8(ascii: "*") && byte != 0x27 && byte != ASCII.percent
            let piece =
                isSafe
                ? String(Unicode.Scalar(byte))
                : "%" + String(decoding: QuotedPrintable.escaped(byte).dropFirst(), as: UTF8.self)
            if current.utf8.count + piece.utf8.count > 45 {
                chunks.append(current)
                current = ""
            }
            current += piece
        }
        return chunks + [current]
    }
}

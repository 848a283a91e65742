/// Joins parts into a multipart, with a boundary that none of them contains. RFC 2046 §5.1.
enum MultipartWriter {
    /// A single part stays as it is.
    static func box(
        _ subtype: String, _ parts: [BodyWriter.Part], parameters: String = "", seed: String
    ) -> BodyWriter.Part {
        guard parts.count != 1, let first = parts.first else { return parts.first ?? BodyWriter.text("") }
        let boundary = boundary(absentFrom: parts, seed: seed)
        var header = "Content-Type: multipart/\(subtype);\(parameters)\r\n boundary=\"\(boundary)\"\r\n"
        let isEightBit = parts.dropFirst().reduce(first.isEightBit) { $0 || $1.isEightBit }
        // A multipart with 8-bit content must declare it, or servers treat it as 7bit. RFC 2045 §6.4.
        if isEightBit { header += "Content-Transfer-Encoding: 8bit\r\n" }
        return BodyWriter.Part(
            header: Array(header.utf8), body: joined(parts, boundary: boundary), isEightBit: isEightBit)
    }

    private static func joined(_ parts: [BodyWriter.Part], boundary: String) -> [UInt8] {
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

    /// A boundary that does not begin any line of the parts. `=_` never occurs in base64 or quoted-printable; other
    /// text is searched. All boundaries have the same length, so that none is the beginning of another.
    static func boundary(absentFrom parts: [BodyWriter.Part], seed: String) -> String {
        var hash = Fingerprint()
        hash.add(seed.utf8)
        for part in parts { hash.add(part.body) }
        var boundary = "=_" + hash.text
        while parts.contains(where: { holds(boundary, $0.body) }) {
            hash.add(boundary.utf8)
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
}

/// FNV-1a, twice: it spreads boundaries and ids of tests, it protects nothing.
struct Fingerprint {
    private(set) var low: UInt64 = 0xCBF2_9CE4_8422_2325
    private(set) var high: UInt64 = 0x8422_2325_CBF2_9CE4

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            low = (low ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
            high = (high ^ UInt64(byte ^ 0x5A)) &* 0x0000_0100_0000_01B3
        }
    }

    /// 26 digits, always.
    var text: String { Self.digits(high) + Self.digits(low) }

    private static func digits(_ number: UInt64) -> String {
        let digits = String(number, radix: 36)
        return String(repeating: "0", count: 13 - digits.count) + digits
    }
}

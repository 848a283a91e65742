/// Pictures inside HTML, as `data:` URLs in base 64 (RFC 2397). They can be longer than the text around them, which opus reads
/// only up to a limit.
enum InlinePictures {
    /// How many bytes of HTML opus searches for pictures.
    static let longest = 16 * 1_024 * 1_024
    /// Shorter data is left in place.
    private static let shortest = 1_024

    /// The HTML without the data of its pictures.
    static func removed(from html: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var copied = 0
        var next = 0
        while let mark = html[next...].firstIndex(of: ASCII.semicolon) {
            next = mark + 1
            guard html[next...].hasPrefix("base64,") else { continue }
            let start = next + 7
            let end = html[start...].firstIndex { !isData($0) } ?? html.count
            next = end
            guard end - start >= shortest else { continue }
            output += html[copied..<start]
            copied = end
        }
        return copied == 0 ? html : output + html[copied...]
    }

    private static func isData(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="),
            UInt8(ascii: "%"), ASCII.cr, ASCII.lf, ASCII.space:
            true
        case _: false
        }
    }
}

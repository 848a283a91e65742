/// A charset of a mail, and its decoder.
///
/// Labels are often wrong, so the common ones are decoded as in browsers: `gb2312` is GB18030, `shift_jis` is CP932,
/// `iso-8859-1` is windows-1252. Only names of opus's own table are passed to `iconv`, never text from a mail.
public struct Charset: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case utf8
        /// For a missing label and for `us-ascii`: ISO-2022-JP if the text selects its tables, otherwise UTF-8 if valid,
        /// otherwise windows-1252.
        case guess
        case windows1252
        case iso2022JP
        case hz
        /// A converter of the C library; its smallest character has `unit` bytes.
        case iconv(name: String, unit: Int)
    }

    let kind: Kind

    static let utf8 = Charset(kind: .utf8)
    static let guess = Charset(kind: .guess)

    init(kind: Kind) { self.kind = kind }

    /// The charset of a label, from the table of aliases; nil: an unknown label.
    public init?(label: String) {
        self.init(label: Array(label.utf8)[...])
    }

    /// The charset of a label as in the message.
    init?(label: ArraySlice<UInt8>) {
        // Nine of ten labels.
        if label.isWord("utf-8") {
            self = .utf8
            return
        }
        guard label.count <= 64, let found = CharsetTable.charset(labelled: label) else { return nil }
        self = found
    }

    /// Decodes bytes. It never fails: invalid bytes become U+FFFD.
    public func decode(_ bytes: some Collection<UInt8>) -> String {
        bytes.withContiguousStorageIfAvailable(text)
            ?? Array(bytes).withUnsafeBufferPointer(text)
    }

    /// Decodes the bytes of several encoded words. In UTF-16 and UTF-32, each word may begin with a byte order mark.
    func decodeJoined(_ bytes: [UInt8]) -> String {
        let text = decode(bytes)
        guard case .iconv(_, let unit) = kind, unit > 1, text.unicodeScalars.contains("\u{FEFF}") else {
            return text
        }
        var joined = ""
        joined.unicodeScalars += text.unicodeScalars.filter { $0 != "\u{FEFF}" }
        return joined
    }

    /// Decodes bytes with a label from a mail; a missing or unknown label means ``guess``.
    public static func decode(_ bytes: some Collection<UInt8>, label: String?) -> String {
        (label.flatMap { Charset(label: $0) } ?? .guess).decode(bytes)
    }

    static func guessed(_ bytes: some Collection<UInt8>) -> String { guess.decode(bytes) }

    /// The converters that this system lacks. On some systems, `gconv` modules are a separate package.
    public static func missingConverters() -> [String] {
        CharsetTable.converters.filter { !Iconv.opens($0) }
    }

    /// A byte order mark of UTF-16 overrides the label.
    private func text(of bytes: UnsafeBufferPointer<UInt8>) -> String {
        if let end = Self.endOfMarkedUTF16(bytes) {
            let name = bytes[0] == 0xFE ? "UTF-16BE" : "UTF-16LE"
            let rest = UnsafeBufferPointer(rebasing: bytes[2..<end])
            if let found = Iconv.decode(rest, from: name, unit: 2) { return found.text }
        }
        return switch kind {
        case .utf8: String(decoding: Self.withoutMark(bytes), as: UTF8.self)
        case .guess: Self.guessedText(of: bytes)
        case .windows1252: Windows1252.text(of: bytes)
        case .iso2022JP: SevenBitCJK.decodeISO2022JP(bytes)
        case .hz: SevenBitCJK.decodeHZ(bytes)
        case .iconv(let name, let unit):
            Iconv.decode(bytes, from: name, unit: unit)?.text ?? Self.guessedText(of: bytes)
        }
    }

    /// The end of a text that begins with FE FF or FF FE; nil: it does not. FF FE 00 00 is the mark of UTF-32.
    ///
    /// A single byte at the end comes from a line end that was added on the way. Then, a zero byte must show that the
    /// mark is not two letters of another charset.
    private static func endOfMarkedUTF16(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        guard bytes.count >= 4 else { return nil }
        switch (bytes[0], bytes[1]) {
        case (0xFE, 0xFF): break
        case (0xFF, 0xFE): if bytes[2] == 0, bytes[3] == 0 { return nil }
        case _: return nil
        }
        if bytes.count.isMultiple(of: 2) { return bytes.count }
        return bytes.contains(0) ? bytes.count - 1 : nil
    }

    private static func guessedText(of bytes: UnsafeBufferPointer<UInt8>) -> String {
        if SevenBitCJK.selectsJapanese(bytes) { return SevenBitCJK.decodeISO2022JP(bytes) }
        let body = withoutMark(bytes)
        return String(validating: body, as: UTF8.self) ?? Windows1252.text(of: body)
    }

    /// Without the byte order mark of UTF-8.
    private static func withoutMark(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        guard bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF else { return bytes }
        return UnsafeBufferPointer(rebasing: bytes[3...])
    }
}

/// windows-1252 without a converter, because every message without a charset needs it.
enum Windows1252 {
    static func text(of bytes: UnsafeBufferPointer<UInt8>) -> String {
        let high = bytes.count(where: { $0 >= 0x80 })
        guard high > 0 else { return String(decoding: bytes, as: UTF8.self) }
        return String(unsafeUninitializedCapacity: bytes.count + 2 * high) { room in
            var count = 0
            for byte in bytes { count = put(byte, into: room, at: count) }
            return count
        }
    }

    /// Writes one character as UTF-8, at most three bytes. Returns the next position.
    @inline(__always)
    private static func put(_ byte: UInt8, into room: UnsafeMutableBufferPointer<UInt8>, at start: Int) -> Int
    {
        guard byte >= 0x80 else {
            room[start] = byte
            return start + 1
        }
        let scalar = byte < 0xA0 ? upper[Int(byte - 0x80)] : UInt16(byte)
        guard scalar >= 0x800 else {
            room[start] = UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6)
            room[start + 1] = UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F)
            return start + 2
        }
        room[start] = UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12)
        room[start + 1] = UInt8(truncatingIfNeeded: 0x80 | scalar >> 6 & 0x3F)
        room[start + 2] = UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F)
        return start + 3
    }

    /// 0x80 … 0x9F. Five of them are undefined.
    private static let upper = Array(
        "€\u{FFFD}‚ƒ„…†‡ˆ‰Š‹Œ\u{FFFD}Ž\u{FFFD}\u{FFFD}‘’“”•–—˜™š›œ\u{FFFD}žŸ".utf16)
}

import Glibc

/// A character set by the name that mail gives it, and text made from its bytes.
///
/// Labels lie, so the common ones are read as browsers read them: `gb2312` is GB18030, `shift_jis` is CP932,
/// `iso-8859-1` is windows-1252. Only names of our own table ever reach `iconv`, never a string from a mail.
public struct Charset: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case utf8
        /// UTF-8 where it is valid, else windows-1252: for no label, and for `us-ascii` with 8-bit bytes.
        case guess
        case windows1252
        case iso2022JP
        case hz
        /// A converter of the C library; `unit` bytes make its smallest character.
        case iconv(name: String, unit: Int)
    }

    let kind: Kind

    static let utf8 = Charset(kind: .utf8)
    static let guess = Charset(kind: .guess)

    init(kind: Kind) { self.kind = kind }

    /// The set that a label names, by the alias table; nil for a label that nobody knows.
    public init?(label: String) {
        guard label.utf8.count <= 64, let found = CharsetTable.byLabel[Self.normalised(label)] else {
            return nil
        }
        self = found
    }

    /// The text of some bytes. Never fails: what is no text becomes U+FFFD.
    public func decode(_ bytes: some Collection<UInt8>) -> String {
        switch kind {
        case .utf8: String(decoding: Self.withoutMark(bytes), as: UTF8.self)
        case .guess: Self.guessed(bytes)
        case .windows1252: Windows1252.decode(bytes)
        case .iso2022JP: SevenBitCJK.decodeISO2022JP(Array(bytes))
        case .hz: SevenBitCJK.decodeHZ(Array(bytes))
        case .iconv(let name, let unit):
            IconvDecoder.decode(Array(bytes), from: name, unit: unit)?.text ?? Self.guessed(bytes)
        }
    }

    /// The text of bytes with a label from a mail; without one, or with an unknown one, it is guessed.
    public static func decode(_ bytes: some Collection<UInt8>, label: String?) -> String {
        guard let label, let charset = Charset(label: label) else { return guessed(bytes) }
        return charset.decode(bytes)
    }

    /// The converters that this system lacks (`gconv` modules are a package of their own in places).
    public static func missingConverters() -> [String] {
        CharsetTable.converters.filter { !IconvDecoder.opens($0) }
    }

    static func guessed(_ bytes: some Collection<UInt8>) -> String {
        let body = withoutMark(bytes)
        return String(validating: body, as: UTF8.self) ?? Windows1252.decode(body)
    }

    private static func withoutMark<Bytes: Collection<UInt8>>(_ bytes: Bytes) -> Bytes.SubSequence {
        let mark = bytes.prefix(3)
        return mark.elementsEqual([0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    }

    /// Labels are written with quotes, blanks, a leading `charset=` and in any case.
    private static func normalised(_ label: String) -> String {
        var bytes = label.utf8.map(\.lowercasedASCII)[...].trimmed
        while let first = bytes.first, first == ASCII.quote || first == 0x27 { bytes = bytes.dropFirst() }
        while let last = bytes.last, last == ASCII.quote || last == 0x27 || last == ASCII.semicolon {
            bytes = bytes.dropLast()
        }
        return bytes.trimmed.text
    }
}

/// One run of `iconv` with our own error loop: a bad byte becomes U+FFFD and the rest goes on.
enum IconvDecoder {
    struct Result {
        var text: String
        var errors: Int
    }

    static func opens(_ name: String) -> Bool {
        guard let handle = open(name) else { return false }
        iconv_close(handle)
        return true
    }

    /// nil when the system has no such converter. `unit`: how much is skipped after a bad sequence.
    static func decode(_ input: [UInt8], from name: String, unit: Int) -> Result? {
        guard let handle = open(name) else { return nil }
        defer { iconv_close(handle) }
        var input = input
        var output: [UInt8] = []
        output.reserveCapacity(input.count * 2)
        var errors = 0
        var chunk = [CChar](repeating: 0, count: 8_192)
        input.withUnsafeMutableBytes { raw in
            var source = raw.bindMemory(to: CChar.self).baseAddress
            var left = raw.count
            while left > 0 {
                let reason = step(handle, &source, &left, &chunk, &output)
                guard let reason, reason != E2BIG else { continue }
                errors += 1
                output += replacement
                let skipped = reason == EINVAL ? left : min(unit, left)
                source = source.map { $0 + skipped }
                left -= skipped
            }
            // Stateful sets may hold a last character back.
            var none: UnsafeMutablePointer<CChar>?
            var nothing = 0
            _ = step(handle, &none, &nothing, &chunk, &output)
        }
        return Result(text: String(decoding: output, as: UTF8.self), errors: errors)
    }

    private static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]

    /// Converts until the chunk is full, the input ends or is bad; the `errno` of the last two.
    private static func step(
        _ handle: iconv_t, _ source: inout UnsafeMutablePointer<CChar>?, _ left: inout Int,
        _ chunk: inout [CChar], _ output: inout [UInt8]
    ) -> Int32? {
        chunk.withUnsafeMutableBytes { buffer in
            var target = buffer.bindMemory(to: CChar.self).baseAddress
            var room = buffer.count
            let result = iconv(handle, &source, &left, &target, &room)
            let reason = errno
            output += buffer.prefix(buffer.count - room)
            return result == -1 ? reason : nil
        }
    }

    private static func open(_ name: String) -> iconv_t? {
        let handle = iconv_open("UTF-8", name)
        return handle == iconv_t(bitPattern: -1) ? nil : handle
    }
}

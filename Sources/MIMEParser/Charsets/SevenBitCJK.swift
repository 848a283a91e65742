import Glibc

/// The two seven-bit encodings of Asian mail for which the C library is too strict or has no decoder.
///
/// Both switch tables with escape sequences. Their double bytes are those of an 8-bit encoding without the high bits,
/// which the C library converts.
enum SevenBitCJK {
    /// ISO-2022-JP (RFC 1468), first strictly. Mail contains vendor characters (①) that the standard lacks; then the
    /// same rows are decoded as Microsoft's EUC-JP.
    static func decodeISO2022JP(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        let strict = Iconv.decode(bytes, from: "ISO-2022-JP", unit: 1)
        // An unknown escape sequence passes through as text, for example the one for half-width kana.
        if let strict, strict.errors == 0, !strict.text.utf8.contains(ASCII.escape) { return strict.text }
        return converted(eucJP(Array(bytes)), from: "EUC-JP-MS") ?? strict?.text
            ?? String(decoding: bytes, as: UTF8.self)
    }

    /// Whether a seven-bit text selects a table of Japanese characters (`ESC $ B`, `ESC $ @`, `ESC $ ( D`). `ESC ( B`
    /// alone does not count: terminal output contains it too.
    static func selectsJapanese(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let base = bytes.baseAddress, let first = memchr(base, Int32(ASCII.escape), bytes.count) else {
            return false
        }
        var rest = bytes[(UnsafeRawPointer(first) - UnsafeRawPointer(base))...]
        while let escape = rest.firstIndex(of: ASCII.escape) {
            rest = rest[(escape + 1)...]
            let selects = ["$B", "$@", "$(D"].contains { rest.starts(with: $0.utf8) }
            if selects { return !bytes.contains { $0 >= 0x80 } }
        }
        return false
    }

    private static func converted(_ bytes: [UInt8], from name: String) -> String? {
        bytes.withUnsafeBufferPointer { Iconv.decode($0, from: name, unit: 1)?.text }
    }

    /// HZ (RFC 1843): `~{` begins GB 2312, `~}` ends it, and `~~` is a tilde.
    static func decodeHZ(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var isDouble = false
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "~"), index + 1 < bytes.count {
                switch bytes[index + 1] {
                case UInt8(ascii: "{"): isDouble = true
                case UInt8(ascii: "}"): isDouble = false
                case UInt8(ascii: "~"): output.append(byte)
                case ASCII.lf: break
                case let other: output += [byte, other]
                }
                index += 2
                continue
            }
            if byte == ASCII.lf { isDouble = false }
            output.append(isDouble && byte > 0x20 ? byte | 0x80 : byte)
            index += 1
        }
        return converted(output, from: "GB18030") ?? Charset.guessed(bytes)
    }

    private enum Table {
        case single
        case kana
        case double
        case supplement
    }

    private static func eucJP(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var table = Table.single
        var index = 0
        while index < bytes.count {
            if bytes[index] == ASCII.escape, let (next, length) = designation(bytes[index...]) {
                table = next
                index += length
                continue
            }
            let byte = bytes[index]
            if byte == ASCII.lf { table = .single }
            let isGraphic = byte > 0x20 && byte < 0x7F
            switch table {
            case .single: output.append(byte)
            case .kana: output += isGraphic ? [0x8E, byte | 0x80] : [byte]
            case .double, .supplement:
                guard isGraphic, index + 1 < bytes.count, bytes[index + 1] > 0x20 else {
                    output.append(byte)
                    break
                }
                if table == .supplement { output.append(0x8F) }
                output += [byte | 0x80, bytes[index + 1] | 0x80]
                index += 1
            }
            index += 1
        }
        return output
    }

    /// The table that an escape sequence selects, and its length.
    private static func designation(_ bytes: ArraySlice<UInt8>) -> (Table, Int)? {
        let sequences: [(StaticString, Table)] = [
            ("\u{1B}(B", .single), ("\u{1B}(J", .single), ("\u{1B}(I", .kana), ("\u{1B}$@", .double),
            ("\u{1B}$B", .double), ("\u{1B}$(D", .supplement),
        ]
        for (sequence, table) in sequences where bytes.hasPrefix(sequence) {
            return (table, sequence.utf8CodeUnitCount)
        }
        return nil
    }
}

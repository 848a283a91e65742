/// Bytes as two lower-case hexadecimal digits each. RFC 4648 §8.
public enum Hex {
    private static let digits = Array("0123456789abcdef".utf8)

    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        // The compiler makes fast code for an array; other modules use the generic code for any sequence.
        let bytes = Array(bytes)
        var output: [UInt8] = []
        output.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            output.append(digits[Int(byte >> 4)])
            output.append(digits[Int(byte & 15)])
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// The bytes; the digits may be in upper or lower case. nil: anything else.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var output: [UInt8] = []
        var high: UInt8?
        for character in text.utf8 {
            guard let value = value(of: character) else { return nil }
            if let first = high {
                output.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return high == nil ? output : nil
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// Crockford's base 32 in lower case: without `i`, `l`, `o` and `u`, so that people can read an id aloud.
///
/// Five bits for each character, first bit first; the last character is filled with zero bits. There is no padding and
/// no check symbol.
public enum Crockford {
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let bytes = Array(bytes)
        var output: [UInt8] = []
        output.reserveCapacity(2 * bytes.count)
        var pending: UInt32 = 0
        var bits: UInt32 = 0
        for byte in bytes {
            pending = pending << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                output.append(alphabet[Int(pending >> bits & 31)])
            }
            pending &= 31
        }
        if bits > 0 { output.append(alphabet[Int(pending << (5 - bits) & 31)]) }
        return String(decoding: output, as: UTF8.self)
    }
}

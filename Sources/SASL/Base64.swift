/// Base 64 with padding, as in SASL exchanges. RFC 4648 §4.
public enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")

    public static func encode(_ bytes: [UInt8]) -> String {
        var output: [UInt8] = []
        output.reserveCapacity((bytes.count + 2) / 3 * 4)
        var rest = bytes[...]
        while !rest.isEmpty {
            let group = rest.prefix(3)
            rest = rest.dropFirst(3)
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
            for place in 0..<4 {
                let index = Int(bits >> UInt32(18 - 6 * place) & 63)
                output.append(place <= group.count ? alphabet[index] : padding)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// The bytes; nil when a character, the length or the padding is wrong.
    public static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        let characters = Array(text)
        guard characters.count % 4 == 0 else { return nil }
        let padded = characters.reversed().prefix { $0 == padding }.count
        guard padded <= 2 else { return nil }
        var output: [UInt8] = []
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for character in characters.dropLast(padded) {
            guard let value = value(of: character) else { return nil }
            bits = bits << 6 | value
            count += 6
            if count >= 8 {
                count -= 8
                output.append(UInt8(truncatingIfNeeded: bits >> count))
                bits &= (1 << count) - 1
            }
        }
        // Leftover bits that are not zero would let two texts mean the same bytes.
        return bits == 0 ? output : nil
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}

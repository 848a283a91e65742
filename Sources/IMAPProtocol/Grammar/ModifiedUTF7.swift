/// Converts mailbox names between the protocol and people: modified UTF-7. RFC 3501 §5.1.3.
///
/// Decode names for display only. Send a server's name back byte for byte, and never encode it again: names with
/// invalid sequences, 8-bit octets and a lone `&` exist.
public enum ModifiedUTF7 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+,".utf8)

    /// The text; nil: the bytes are not modified UTF-7.
    public static func decode(_ bytes: [UInt8]) -> String? {
        var units: [UInt16] = []
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            guard byte >= 0x20, byte < 0x7F else { return nil }
            guard byte == .ampersand else {
                units.append(UInt16(byte))
                continue
            }
            guard let end = bytes[index...].firstIndex(of: .minus) else { return nil }
            if end == index {
                units.append(UInt16(UInt8.ampersand))
            } else if let shifted = shiftedUnits(bytes[index..<end]) {
                units += shifted
            } else {
                return nil
            }
            index = end + 1
        }
        return String(validating: units, as: UTF16.self)
    }

    /// The UTF-16 code units of one base64 run; nil: bits are left over, an octet is not allowed, or a surrogate pair
    /// is incomplete. Two runs with half a pair each would be a second spelling of the same name.
    private static func shiftedUnits(_ run: ArraySlice<UInt8>) -> [UInt16]? {
        var units: [UInt16] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in run {
            guard let value = alphabet.firstIndex(of: byte) else { return nil }
            bits = (bits << 6 | UInt32(value)) & 0x3F_FFFF
            count += 6
            if count >= 16 {
                count -= 16
                units.append(UInt16(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        guard count < 6, bits & ((1 << UInt32(count)) - 1) == 0 else { return nil }
        return String(validating: units, as: UTF16.self) == nil ? nil : units
    }

    /// The encoded name, for a mailbox to create.
    public static func encode(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var shifted: [UInt16] = []
        for unit in text.utf16 {
            if unit >= 0x20, unit < 0x7F {
                flush(&shifted, into: &bytes)
                bytes.append(UInt8(unit))
                if unit == UInt16(UInt8.ampersand) { bytes.append(.minus) }
            } else {
                shifted.append(unit)
            }
        }
        flush(&shifted, into: &bytes)
        return bytes
    }

    private static func flush(_ units: inout [UInt16], into bytes: inout [UInt8]) {
        guard !units.isEmpty else { return }
        bytes.append(.ampersand)
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for unit in units {
            bits = bits << 16 | UInt32(unit)
            count += 16
            while count >= 6 {
                count -= 6
                bytes.append(alphabet[Int(bits >> count & 0x3F)])
            }
            bits &= (1 << count) - 1
        }
        if count > 0 { bytes.append(alphabet[Int(bits << (6 - count) & 0x3F)]) }
        bytes.append(.minus)
        units.removeAll()
    }

    /// The name in a session with UTF8=ACCEPT. Bytes that are not modified UTF-7 stay as they are. RFC 6855 §3.
    public static func utf8(of name: [UInt8]) -> [UInt8] {
        decode(name).map { Array($0.utf8) } ?? name
    }

    /// The modified UTF-7 for a name from a UTF-8 session. Bytes that are not UTF-8 stay as they are.
    public static func name(ofUTF8 bytes: [UInt8]) -> [UInt8] {
        String(validating: bytes, as: UTF8.self).map(encode) ?? bytes
    }

    /// The name for people: decoded, or read as UTF-8, with invalid bytes replaced. It is text from a stranger.
    public static func displayName(_ bytes: [UInt8]) -> String {
        decode(bytes) ?? String(decoding: bytes, as: UTF8.self)
    }
}

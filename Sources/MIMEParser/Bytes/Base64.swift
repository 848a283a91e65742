/// The base64 transfer encoding. RFC 2045 §6.8.
///
/// The decoder takes what mail really holds: bytes outside the alphabet are skipped, padding may be
/// missing, and text that was encoded in pieces (`YQ==Yg==`) goes on after a padding.
enum Base64 {
    static func decode(_ bytes: ArraySlice<UInt8>, into sink: inout some ByteSink) {
        var bits: UInt32 = 0
        var characters = 0
        bytes.withUnsafeBufferPointer { buffer in
            for byte in buffer {
                if sink.isFull { return }
                let value = values[Int(byte)]
                guard value >= 0 else {
                    guard byte == ASCII.equals else { continue }
                    flush(bits, characters, into: &sink)
                    bits = 0
                    characters = 0
                    continue
                }
                bits = bits << 6 | UInt32(value)
                characters += 1
                guard characters == 4 else { continue }
                sink.put(UInt8(truncatingIfNeeded: bits >> 16))
                sink.put(UInt8(truncatingIfNeeded: bits >> 8))
                sink.put(UInt8(truncatingIfNeeded: bits))
                bits = 0
                characters = 0
            }
        }
        flush(bits, characters, into: &sink)
    }

    static func decode(_ bytes: ArraySlice<UInt8>, limit: Int = .max) -> [UInt8] {
        var sink = ByteCollector(limit: limit, expecting: bytes.count / 4 * 3 + 3)
        decode(bytes, into: &sink)
        return sink.bytes
    }

    /// The bytes as base64, in lines of at most `lineLength` characters joined (not ended) by CRLF.
    static func encode(_ bytes: some Collection<UInt8>, lineLength: Int = .max) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count / 3 * 4 + bytes.count / 54 * 2 + 8)
        var column = 0
        var index = bytes.startIndex
        while index != bytes.endIndex {
            if column + 4 > lineLength {
                output += [ASCII.cr, ASCII.lf]
                column = 0
            }
            var group: UInt32 = 0
            var taken = 0
            while taken < 3, index != bytes.endIndex {
                group |= UInt32(bytes[index]) << (16 - 8 * taken)
                bytes.formIndex(after: &index)
                taken += 1
            }
            for position in 0..<4 {
                let value = Int(group >> (18 - 6 * position)) & 0x3F
                output.append(position <= taken ? alphabet[value] : ASCII.equals)
            }
            column += 4
        }
        return output
    }

    /// Two characters make a byte, three make two; a single one makes none.
    private static func flush(_ bits: UInt32, _ characters: Int, into sink: inout some ByteSink) {
        if characters == 2 { sink.put(UInt8(truncatingIfNeeded: bits >> 4)) }
        if characters == 3 {
            sink.put(UInt8(truncatingIfNeeded: bits >> 10))
            sink.put(UInt8(truncatingIfNeeded: bits >> 2))
        }
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static let values: [Int8] = {
        var table = [Int8](repeating: -1, count: 256)
        for (value, byte) in alphabet.enumerated() { table[Int(byte)] = Int8(value) }
        return table
    }()
}

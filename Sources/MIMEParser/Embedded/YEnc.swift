/// A file as bytes shifted by 42 between `=ybegin` and `=yend`, as used on Usenet. yEnc 1.3.
///
/// `=` escapes the next byte; line ends are not data. A piece of a larger file has a line `=ypart`. If size or checksum
/// is wrong, the file contains what arrived.
enum YEnc {
    static func block(
        in bytes: ArraySlice<UInt8>, at start: Int, _ content: HeldContent
    ) -> HeldBlocks.Block? {
        guard let first = ByteLine(in: bytes, at: start) else { return nil }
        let head = bytes[first.content]
        guard head.hasPrefix("=ybegin "), let name = name(head), let size = number("size", in: head),
            number("line", in: head) != nil
        else { return nil }
        var reader = Reader(bytes: bytes, position: first.next, size: size, output: content)
        reader.read()
        let file = HeldFile(
            name: HeldFile.name(name), bytes: reader.output.bytes, source: .yenc, damage: reader.damage)
        return HeldBlocks.Block(range: start..<reader.position, file: file, size: reader.output.count)
    }

    /// The name is the last value of its line and may contain blanks.
    private static func name(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let found = value("name", in: line) else { return nil }
        let name = line[found...].trimmed
        return name.isEmpty ? nil : name
    }

    /// The position of the value after ` key=`.
    private static func value(_ key: StaticString, in line: ArraySlice<UInt8>) -> Int? {
        let length = key.utf8CodeUnitCount
        for index in line.indices where line[index] == ASCII.space {
            let end = index + 1 + length
            guard end < line.endIndex else { return nil }
            if line[end] == ASCII.equals, line[(index + 1)..<end].isWord(key) { return end + 1 }
        }
        return nil
    }

    private static func digits(_ key: StaticString, in line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        value(key, in: line).map { line[$0...].prefix { $0 != ASCII.space } }
    }

    private static func number(_ key: StaticString, in line: ArraySlice<UInt8>) -> Int? {
        guard let digits = digits(key, in: line), (1...15).contains(digits.count),
            digits.allSatisfy(\.isDigit)
        else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func checksum(_ key: StaticString, in line: ArraySlice<UInt8>) -> UInt32? {
        digits(key, in: line).flatMap { $0.count <= 16 ? UInt32(Substring($0.text), radix: 16) : nil }
    }

    private struct Reader {
        let bytes: ArraySlice<UInt8>
        var position: Int
        /// The size of the file, or of this piece of it.
        var size: Int
        var isPiece = false
        var output: HeldContent
        var checksum = CRC32()
        var damage: Set<HeldFile.Damage> = []

        mutating func read() {
            while let line = ByteLine(in: bytes, at: position) {
                let content = bytes[line.content]
                if content.hasPrefix("=yend") {
                    position = line.next
                    check(content)
                    return
                }
                // Without an end line, the file ends at its stated size, and the text continues.
                if output.count >= size, !content.isBlank { break }
                position = line.next
                if content.hasPrefix("=ypart ") {
                    narrow(to: content)
                } else {
                    decode(content)
                }
            }
            damage.insert(.missingEnd)
            if output.count != size { damage.insert(.wrongSize) }
        }

        private mutating func narrow(to line: ArraySlice<UInt8>) {
            guard let begin = number("begin", in: line), let end = number("end", in: line), begin >= 1,
                begin <= end
            else { return }
            isPiece = true
            size = end - begin + 1
        }

        private mutating func decode(_ line: ArraySlice<UInt8>) {
            var shift: UInt8 = 42
            for byte in line {
                if byte == ASCII.equals, shift == 42 {
                    shift = 42 + 64
                } else {
                    output.append(byte &- shift)
                    checksum.add(byte &- shift)
                    shift = 42
                }
            }
        }

        private mutating func check(_ line: ArraySlice<UInt8>) {
            if output.count != size || number("size", in: line).map({ $0 != size }) ?? false {
                damage.insert(.wrongSize)
            }
            let expected = YEnc.checksum(isPiece ? "pcrc32" : "crc32", in: line)
            if let expected, expected != checksum.value { damage.insert(.wrongChecksum) }
        }
    }
}

/// The checksum of yEnc: CRC-32 of ITU-T V.42.
struct CRC32 {
    private var state = UInt32.max

    var value: UInt32 { ~state }

    mutating func add(_ byte: UInt8) {
        state = state >> 8 ^ Self.table[Int(UInt8(truncatingIfNeeded: state) ^ byte)]
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320 }
    }
}

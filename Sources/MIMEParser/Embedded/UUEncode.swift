/// A file as lines of printable text between `begin 644 name` and `end`, used before MIME. POSIX `uuencode`, historical
/// algorithm.
///
/// A line has a length (`M` is 45 bytes) and four characters for three bytes; zero is a blank or a backtick, and blanks
/// at the end of a line may be lost. Prose is never mistaken for a block: the mode must be octal digits, and the next
/// line must be valid.
enum UUEncode {
    static func block(
        in bytes: ArraySlice<UInt8>, at start: Int, _ content: HeldContent
    ) -> HeldBlocks.Block? {
        guard let first = ByteLine(in: bytes, at: start), let name = name(bytes[first.content]) else {
            return nil
        }
        var reader = Reader(bytes: bytes, position: first.next, output: content)
        guard reader.read() else { return nil }
        let file = HeldFile(
            name: HeldFile.name(name), bytes: reader.output.bytes, source: .uuencode, damage: reader.damage)
        return HeldBlocks.Block(range: start..<reader.position, file: file, size: reader.output.count)
    }

    /// The name in a line `begin 644 name`.
    private static func name(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard line.hasPrefix("begin ") else { return nil }
        let rest = line.dropFirst(6)
        let mode = rest.prefix { $0 >= 0x30 && $0 <= 0x37 }
        guard (3...6).contains(mode.count), mode.endIndex < rest.endIndex, rest[mode.endIndex] == ASCII.space
        else { return nil }
        let name = rest[mode.endIndex...].trimmed
        return name.isEmpty ? nil : name
    }

    private struct Reader {
        let bytes: ArraySlice<UInt8>
        /// The position of the first line after the block.
        var position: Int
        var output: HeldContent
        var damage: Set<HeldFile.Damage> = []

        /// Reads the lines of the block; false: there are none.
        mutating func read() -> Bool {
            var isFirst = true
            while let line = ByteLine(in: bytes, at: position) {
                let content = bytes[line.content]
                if content.isWord("end") {
                    position = line.next
                    return true
                }
                if isLast(content) {
                    return finish(after: line, isFirst: isFirst)
                }
                if isData(content) {
                    decode(content)
                } else {
                    // A line that was hurt on the way, when the next is whole again; else the file ends here.
                    guard let next = ByteLine(in: bytes, at: line.next), isWholeData(bytes[next.content])
                    else {
                        break
                    }
                    damage.insert(.badLine)
                }
                isFirst = false
                position = line.next
            }
            if isFirst { return false }
            damage.insert(.missingEnd)
            return true
        }

        /// The line of length zero; `end` should follow.
        private mutating func finish(after line: ByteLine, isFirst: Bool) -> Bool {
            if let end = ByteLine(in: bytes, at: line.next), bytes[end.content].trimmed.isWord("end") {
                position = end.next
                return true
            }
            if isFirst { return false }
            damage.insert(.missingEnd)
            // An empty line may be the text's own.
            if !line.content.isEmpty { position = line.next }
            return true
        }

        private func isLast(_ line: ArraySlice<UInt8>) -> Bool {
            line.count <= 2 && line.allSatisfy { $0 == ASCII.space || $0 == 0x60 }
        }

        /// Blanks at the end may be missing, and a checksum character may follow.
        private func isData(_ line: ArraySlice<UInt8>) -> Bool {
            guard let first = line.first, UUEncode.isCharacter(first) else { return false }
            let expected = UUEncode.characters(for: first)
            return expected > 0 && line.count - 1 <= expected + 2 && line.allSatisfy(UUEncode.isCharacter)
        }

        private func isWholeData(_ line: ArraySlice<UInt8>) -> Bool {
            guard let first = line.first, isData(line) else { return false }
            return line.count - 1 >= UUEncode.characters(for: first)
        }

        private mutating func decode(_ line: ArraySlice<UInt8>) {
            var missing = Int(line.first.map(UUEncode.value) ?? 0)
            guard output.isKept else { return output.skip(missing) }
            var index = line.startIndex + 1
            while missing > 0 {
                var group: UInt32 = 0
                for offset in 0..<4 {
                    let byte = index + offset < line.endIndex ? line[index + offset] : ASCII.space
                    group = group << 6 | UInt32(UUEncode.value(byte))
                }
                index += 4
                for shift in [UInt32(16), 8, 0].prefix(missing) {
                    output.append(UInt8(truncatingIfNeeded: group >> shift))
                }
                missing -= 3
            }
        }
    }

    private static func isCharacter(_ byte: UInt8) -> Bool { byte >= 0x20 && byte <= 0x60 }
    private static func value(_ byte: UInt8) -> UInt8 { (byte &- 0x20) & 0x3F }
    private static func characters(for length: UInt8) -> Int { (Int(value(length)) + 2) / 3 * 4 }
}

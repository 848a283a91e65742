/// The base64 transfer encoding. RFC 2045 §6.8.
///
/// The decoder accepts what occurs in mail: it skips bytes outside the alphabet, padding may be missing, text encoded in
/// pieces (`YQ==Yg==`) continues after padding, and the alphabet may be the one for URLs.
enum Base64 {
    static func decode(_ bytes: ArraySlice<UInt8>, limit: Int = .max) -> [UInt8] {
        let text = withoutFooter(bytes)
        let (decoded, isForURLs) = decodeText(text, limit: limit)
        guard isForURLs || text.endIndex < bytes.endIndex, let standard = standardAlphabet(bytes) else {
            return decoded
        }
        return decodeText(standard[...], limit: limit).bytes
    }

    /// `isForURLs`: a `-` or a `_` was skipped.
    private static func decodeText(
        _ bytes: ArraySlice<UInt8>, limit: Int
    ) -> (bytes: [UInt8], isForURLs: Bool) {
        var isForURLs = false
        let most = max(0, min(limit, bytes.count / 4 * 3 + 3))
        let decoded = [UInt8](unsafeUninitializedCapacity: most + Base64Decoder.slack) { room, count in
            bytes.withUnsafeBufferPointer { source in
                var decoder = Base64Decoder(source: source, room: room)
                count = min(decoder.run(), most)
                isForURLs = decoder.isForURLs
            }
        }
        return (decoded, isForURLs)
    }

    /// The number of bytes that ``decode(_:limit:)`` returns, without decoding them.
    static func decodedCount(_ bytes: ArraySlice<UInt8>) -> Int {
        let text = withoutFooter(bytes)
        let census = text.withUnsafeBufferPointer { Base64Census(of: $0) }
        guard census.firstJunk != nil || text.endIndex < bytes.endIndex,
            let standard = standardAlphabet(bytes)
        else { return census.decodedCount }
        return standard.withUnsafeBufferPointer { Base64Census(of: $0).decodedCount }
    }

    /// The same text in the standard alphabet, if it is in the one for URLs and file names (RFC 4648 §5) and cannot be
    /// read in another way; otherwise nil.
    ///
    /// So it has `-` or `_`, neither `+` nor `/`, padding only at its end, and lines of one length, of which only the
    /// last one may be shorter. No line is a rule above a footer.
    private static func standardAlphabet(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        var lines = bytes.trimmed.split(separator: ASCII.lf, omittingEmptySubsequences: false)
        guard var last = lines.popLast() else { return nil }
        for _ in 0..<2 where last.last == ASCII.equals { last = last.dropLast() }
        lines.append(last)
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var length: Int?
        var isForURLs = false
        for (number, line) in lines.enumerated() {
            let line = line.last == ASCII.cr ? line.dropLast() : line
            let isLast = number + 1 == lines.count
            let expected = length ?? line.count
            guard isLast ? line.count <= expected : line.count == expected, !line.isEmpty,
                lines.count == 1 || line.contains(where: { $0.isLetter || $0.isDigit })
            else { return nil }
            length = expected
            for byte in line {
                switch byte {
                case ASCII.hyphen: output.append(plus)
                case ASCII.underscore: output.append(ASCII.slash)
                case _ where byte.isLetter || byte.isDigit:
                    output.append(byte)
                    continue
                case _: return nil
                }
                isForURLs = true
            }
        }
        return isForURLs && output.count % 4 != 1 ? output : nil
    }

    private static let plus = UInt8(ascii: "+")

    /// Some mailing lists add their footer, in plain text, after the base64 of a message: a line of dashes or
    /// underscores and what follows it, or a line of text after the padding.
    private static func withoutFooter(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let text = bytes.trimmed
        let tail = text.suffix(footerLine)
        let lastLine = tail.lastIndex(of: ASCII.lf).map { tail[($0 + 1)...] } ?? tail
        if !hasJunk(lastLine) { return bytes }
        var start = text.startIndex
        var last: UInt8 = 0
        while start < text.endIndex {
            let end = text[start...].firstIndex(of: ASCII.lf) ?? text.endIndex
            let line = text[start..<end].trimmed
            let isRule = line.hasPrefix("--") || line.hasPrefix("__")
            if start > text.startIndex, isRule || last == ASCII.equals && hasJunk(line) {
                return text[..<start]
            }
            last = line.last ?? last
            start = end + 1
        }
        return bytes
    }

    private static let footerLine = 1_000

    private static func hasJunk(_ line: ArraySlice<UInt8>) -> Bool {
        !line.allSatisfy {
            $0.isLetter || $0.isDigit || $0 == 0x2B || $0 == ASCII.slash || $0 == ASCII.equals
                || $0 == ASCII.cr
        }
    }

    /// The bytes as base64, in lines of at most `lineLength` characters with CRLF between them.
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

    fileprivate static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
}

/// One pass over base64 text: eight valid characters at a time, otherwise one at a time.
private struct Base64Decoder {
    /// The fast step writes eight bytes, of which six are valid.
    static let slack = 8

    private let source: UnsafeBufferPointer<UInt8>
    private let room: UnsafeMutableRawBufferPointer
    private var input = 0
    private var output = 0
    /// The characters of an incomplete group.
    private var bits: UInt32 = 0
    private var characters = 0
    /// Whether a `-` or a `_` was skipped.
    private(set) var isForURLs = false

    init(source: UnsafeBufferPointer<UInt8>, room: UnsafeMutableBufferPointer<UInt8>) {
        self.source = source
        self.room = UnsafeMutableRawBufferPointer(room)
    }

    /// Decodes until the source ends or the buffer is full. Returns the number of bytes written.
    mutating func run() -> Int {
        Self.shifted.withUnsafeBufferPointer { table in
            while input < source.count, output + Self.slack <= room.count {
                if characters == 0 {
                    decodeGroups(table)
                    if skipJunk(table) { continue }
                }
                decodeCharacter(table)
            }
        }
        flush()
        return output
    }

    /// Decodes groups of four valid characters, two at a time, up to the first other byte.
    @inline(__always)
    private mutating func decodeGroups(_ table: UnsafeBufferPointer<UInt32>) {
        let bytes = UnsafeRawBufferPointer(source)
        while input + 8 <= bytes.count, output + Self.slack <= room.count {
            let eight = bytes.loadUnaligned(fromByteOffset: input, as: UInt64.self)
            let first = Self.group(UInt32(truncatingIfNeeded: eight), table)
            let second = Self.group(UInt32(truncatingIfNeeded: eight >> 32), table)
            if (first | second) & Self.bad != 0 {
                guard first & Self.bad == 0 else { return }
                store(UInt64(first) << 24)
                input += 4
                output += 3
                return
            }
            store(UInt64(first) << 24 | UInt64(second))
            input += 8
            output += 6
        }
    }

    /// Between groups, skips line ends and all bytes outside the alphabet. Returns whether there were any.
    @inline(__always)
    private mutating func skipJunk(_ table: UnsafeBufferPointer<UInt32>) -> Bool {
        let start = input
        while input < source.count, table[768 + Int(source[input])] & Self.bad != 0 {
            skip(source[input])
            input += 1
        }
        return input > start
    }

    private mutating func skip(_ byte: UInt8) {
        if byte == ASCII.hyphen || byte == ASCII.underscore { isForURLs = true }
    }

    /// The 24 bits of four characters, the first one in the lowest byte; contains ``bad`` if one is invalid.
    @inline(__always)
    private static func group(_ four: UInt32, _ table: UnsafeBufferPointer<UInt32>) -> UInt32 {
        table[Int(four & 0xFF)] | table[256 + Int(four >> 8 & 0xFF)] | table[512 + Int(four >> 16 & 0xFF)]
            | table[768 + Int(four >> 24)]
    }

    /// Writes 48 bits, first byte first, and two more bytes that are not valid.
    @inline(__always)
    private func store(_ value: UInt64) {
        room.storeBytes(of: (value << 16).bigEndian, toByteOffset: output, as: UInt64.self)
    }

    private mutating func decodeCharacter(_ table: UnsafeBufferPointer<UInt32>) {
        guard input < source.count else { return }
        let byte = source[input]
        input += 1
        // The last table has the unshifted value.
        let value = table[768 + Int(byte)]
        guard value & Self.bad == 0 else {
            if byte == ASCII.equals { flush() }
            skip(byte)
            return
        }
        bits = bits << 6 | value
        characters += 1
        if characters == 4 { flush() }
    }

    /// Four characters make three bytes, three make two, two make one, and a single one makes none.
    private mutating func flush() {
        let aligned = bits << (6 * UInt32(4 - characters))
        for position in 0..<max(0, characters - 1) where output < room.count {
            room[output] = UInt8(truncatingIfNeeded: aligned >> UInt32(16 - 8 * position))
            output += 1
        }
        bits = 0
        characters = 0
    }

    private static let bad: UInt32 = 0x8000_0000

    /// The value of a character at each of the four places of a group.
    private static let shifted: [UInt32] = {
        var table = [UInt32](repeating: bad, count: 1_024)
        for (value, byte) in Base64.alphabet.enumerated() {
            for place in 0..<4 { table[256 * place + Int(byte)] = UInt32(value) << UInt32(18 - 6 * place) }
        }
        return table
    }()
}

/// Counts the base64 characters of a text and so the decoded bytes, and checks whether it is valid base64.
struct Base64Census {
    private(set) var decodedCount = 0
    /// The first byte that is not in the alphabet, padding or blank.
    private(set) var firstJunk: Int?

    /// Whether the text ends in a group without padding.
    private(set) var isTruncated = false

    private var characters = 0

    init(of bytes: UnsafeBufferPointer<UInt8>) {
        var index = 0
        Self.kinds.withUnsafeBufferPointer { kinds in
            while index < bytes.count {
                index = decodeBlocks(bytes, from: index, kinds)
                let end = min(index + 8, bytes.count)
                while index < end {
                    take(bytes[index], at: index)
                    index += 1
                }
            }
        }
        isTruncated = characters % 4 != 0
        endPiece()
    }

    /// Counts eight bytes at a time while there are only base64 characters and line ends.
    @inline(__always)
    private mutating func decodeBlocks(
        _ bytes: UnsafeBufferPointer<UInt8>, from start: Int, _ kinds: UnsafeBufferPointer<UInt16>
    ) -> Int {
        let raw = UnsafeRawBufferPointer(bytes)
        var index = start
        while index + 8 <= raw.count {
            let eight = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            var sum: UInt16 = 0
            for place in 0..<8 { sum &+= kinds[Int(eight >> UInt64(8 * place) & 0xFF)] }
            guard sum < Self.other else { return index }
            characters += Int(sum)
            index += 8
        }
        return index
    }

    private static let other: UInt16 = 0x100

    /// One for a base64 character, zero for a line end, a large number for all others.
    private static let kinds: [UInt16] = {
        var table = [UInt16](repeating: other, count: 256)
        for byte in Base64.alphabet { table[Int(byte)] = 1 }
        table[Int(ASCII.cr)] = 0
        table[Int(ASCII.lf)] = 0
        return table
    }()

    private mutating func take(_ byte: UInt8, at index: Int) {
        if byte.isLetter || byte.isDigit || byte == 0x2B || byte == ASCII.slash {
            characters += 1
        } else if byte == ASCII.equals {
            endPiece()
        } else if !byte.isBlank, firstJunk == nil {
            firstJunk = index
        }
    }

    /// Padding ends a piece: an incomplete group makes fewer bytes.
    private mutating func endPiece() {
        decodedCount += characters / 4 * 3 + max(0, characters % 4 - 1)
        characters = 0
    }
}

import Glibc

/// Finds the uuencode and yEnc blocks of a text by the first word of their first line.
enum HeldBlocks {
    struct Block {
        /// From the first line of the block to its last, with line ends.
        var range: Range<Int>
        var file: HeldFile
        /// The size of the file in bytes, even if its bytes are not kept.
        var size: Int
    }

    /// The blocks in order. `keepsBytes` is false to list files or to remove them from a text.
    static func find(in text: ArraySlice<UInt8>, keepsBytes: Bool) -> [Block] {
        var blocks: [Block] = []
        var position = text.startIndex
        while blocks.count < HeldFile.limit, let mark = mark(in: text, from: position) {
            let content = HeldContent(isKept: keepsBytes)
            if let block = UUEncode.block(in: text, at: mark, content)
                ?? YEnc.block(in: text, at: mark, content)
            {
                blocks.append(block)
                position = block.range.upperBound
            } else {
                position = ByteLine(in: text, at: mark)?.next ?? text.endIndex
            }
        }
        return blocks
    }

    /// The text outside the blocks, at most `limit` bytes.
    static func textOutside(_ blocks: [Block], of text: ArraySlice<UInt8>, limit: Int) -> [UInt8] {
        var output: [UInt8] = []
        var position = text.startIndex
        for block in blocks {
            output += text[position..<block.range.lowerBound].prefix(limit - output.count)
            position = block.range.upperBound
        }
        return output + text[position...].prefix(limit - output.count)
    }

    /// The next line whose first word begins a block, from the line at `start` on.
    static func mark(in text: ArraySlice<UInt8>, from start: Int) -> Int? {
        text[start...].withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return nil }
            let end = buffer.count
            let hasLF = memchr(base, Int32(ASCII.lf), end) != nil
            let terminator = hasLF ? ASCII.lf : ASCII.cr
            var position = 0
            while end - position > 8 {
                let first = base[position]
                if first == terminator {
                    position += 1
                    continue
                }
                if first == UInt8(ascii: "b"), memcmp(base + position, "begin ", 6) == 0 {
                    return start + position
                }
                if first == ASCII.equals, mayBeginYEnc(base + position) { return start + position }
                guard let found = memchr(base + position, Int32(terminator), end - position) else {
                    return nil
                }
                position = UnsafeRawPointer(base).distance(to: found) + 1
            }
            return nil
        }
    }

    /// Whether the line may begin with `=ybegin `; its `=` may still be quoted-printable.
    private static func mayBeginYEnc(_ line: UnsafePointer<UInt8>) -> Bool {
        memcmp(line, "=ybegin ", 8) == 0 || memcmp(line, "=3Dybegi", 8) == 0
    }
}

/// A line of decoded bytes: LF, CRLF and CR end one.
struct ByteLine {
    /// Without the line end.
    var content: Range<Int>
    /// The beginning of the next line.
    var next: Int

    /// The line that begins at `start`; nil: the end of the bytes.
    init?(in bytes: ArraySlice<UInt8>, at start: Int) {
        let limit = bytes.endIndex
        guard start < limit else { return nil }
        var end = start
        while end < limit, bytes[end] != ASCII.lf, bytes[end] != ASCII.cr { end += 1 }
        content = start..<end
        next = min(end + 1, limit)
        if end + 1 < limit, bytes[end] == ASCII.cr, bytes[end + 1] == ASCII.lf { next = end + 2 }
    }
}

/// The decoded bytes of a file, or only their number.
struct HeldContent {
    private(set) var bytes: [UInt8] = []
    private(set) var count = 0
    let isKept: Bool

    init(isKept: Bool) { self.isKept = isKept }

    mutating func append(_ byte: UInt8) {
        count += 1
        if isKept { bytes.append(byte) }
    }

    /// Counts bytes that are not kept without decoding them.
    mutating func skip(_ count: Int) { self.count += count }
}

extension HeldFile {
    /// The file name of a block: in any charset, without control characters, at most 1 KiB.
    static func name(_ bytes: ArraySlice<UInt8>, label: String? = nil) -> String {
        let text = Charset.decode(Array(bytes.prefix(4 * nameLimit)), label: label)
        return TextLines.capped(HeaderText.clean(text), to: nameLimit)
    }
}

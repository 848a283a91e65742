/// Breaks long lines of plain text so that readers can join them again: `format=flowed`. RFC 3676 §4.
///
/// A soft break is a line that ends with a space. The joined text equals the original to the byte: if the format cannot
/// keep it (a line that really ends with a space, a `>` directly before text), the text is not flowed, and long lines
/// stay, in quoted-printable.
enum FlowedWriter {
    /// The longest line in columns, with the space that ends it.
    static let width = 78

    /// The text in flowed lines; nil: there is no long line, or the text would change.
    static func soften(_ text: [UInt8]) -> [UInt8]? {
        var output: [UInt8] = []
        output.reserveCapacity(text.count + text.count / 32)
        var isBroken = false
        var start = 0
        while start < text.count {
            let end = text[start...].firstIndex(of: ASCII.lf) ?? text.count
            let hasCR = end > start && text[end - 1] == ASCII.cr
            guard let line = Line(text[start..<(hasCR ? end - 1 : end)]) else { return nil }
            isBroken = line.write(to: &output) || isBroken
            start = end + 1
        }
        return isBroken ? output : nil
    }

    /// One line of the text, between hard breaks.
    private struct Line {
        /// The number of quote marks.
        var depth: Int
        var content: ArraySlice<UInt8>

        /// nil: the format cannot keep the line.
        init?(_ line: ArraySlice<UInt8>) {
            depth = line.prefix { $0 == ASCII.greater }.count
            content = line.dropFirst(depth)
            // Each piece repeats the quote marks, so the size would be quadratic in their number.
            guard depth <= 32 else { return nil }
            if depth > 0, !content.isEmpty {
                guard content.first == ASCII.space, content.count > 1 else { return nil }
                content = content.dropFirst()
            }
            // The line above a signature ends with a space, which is not a soft break. RFC 3676 §4.3.
            guard content.last != ASCII.space || content.elementsEqual("-- ".utf8) else { return nil }
            // Readers leave control characters out, and the text after one is then the beginning of the line.
            guard !content.contains(where: { $0.isControl && $0 != ASCII.tab }) else { return nil }
        }

        /// Writes the line in pieces; returns whether there was more than one.
        func write(to output: inout [UInt8]) -> Bool {
            var rest = content
            var pieces = 0
            repeat {
                let piece = rest[..<FlowedWriter.end(of: rest, width: FlowedWriter.width - depth - 1)]
                output += repeatElement(ASCII.greater, count: depth)
                if isStuffed(piece) { output.append(ASCII.space) }
                output += piece
                output += [ASCII.cr, ASCII.lf]
                rest = rest[piece.endIndex...]
                pieces += 1
            } while !rest.isEmpty
            return pieces > 1
        }

        /// A blank goes before what would read as a quote, a stuffing, or a new message in a mailbox file.
        private func isStuffed(_ piece: ArraySlice<UInt8>) -> Bool {
            if depth > 0 { return !piece.isEmpty }
            return piece.first == ASCII.space || piece.first == ASCII.greater || piece.hasPrefix("From ")
        }
    }

    /// Where the next piece ends: after the last space that fits, else after the first one, else at the end.
    private static func end(of rest: ArraySlice<UInt8>, width: Int) -> Int {
        var column = 0
        var last: Int?
        for (index, byte) in zip(rest.indices, rest) {
            if byte & 0xC0 != 0x80 { column += 1 }
            if column > width, let last { return last }
            // A piece that looks like the line above a signature would be taken for it.
            if byte == ASCII.space, !rest[...index].elementsEqual("-- ".utf8) { last = index + 1 }
        }
        return column > width ? last ?? rest.endIndex : rest.endIndex
    }
}

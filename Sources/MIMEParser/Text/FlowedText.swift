/// Joins the lines of `format=flowed` text into paragraphs. RFC 3676.
///
/// A line that ends with a space continues in the next line of the same quote depth; with `DelSp`, that space is
/// removed. A blank at the beginning hides a `>` or `From ` and is removed. The signature line `-- ` never continues.
struct FlowedText {
    private var output: [UInt8] = []
    private let deletesSpace: Bool
    /// The quote depth of the current paragraph.
    private var depth: Int?

    /// Joins the lines of a text with LF line ends.
    static func paragraphs(of text: String, deletesSpace: Bool) -> String {
        var text = text
        return text.withUTF8 { buffer in
            var flowed = FlowedText(deletesSpace: deletesSpace, capacity: buffer.count)
            var start = 0
            while start < buffer.count {
                var end = start
                while end < buffer.count, buffer[end] != ASCII.lf { end += 1 }
                flowed.append(buffer[start..<end])
                start = end + 1
            }
            flowed.endParagraph()
            return String(decoding: flowed.output, as: UTF8.self)
        }
    }

    private init(deletesSpace: Bool, capacity: Int) {
        self.deletesSpace = deletesSpace
        output.reserveCapacity(capacity)
    }

    private mutating func append(_ line: Slice<UnsafeBufferPointer<UInt8>>) {
        let quote = line.prefix { $0 == ASCII.greater }
        var content = line[quote.endIndex...]
        if content.first == ASCII.space { content = content.dropFirst() }
        let isSignature = content.elementsEqual("-- ".utf8)
        // An empty line separates paragraphs, even after a line that ends with a soft break.
        if depth != quote.count || isSignature || content.isEmpty { endParagraph() }
        if depth == nil { beginLine(quote.count, isEmpty: content.isEmpty) }
        output += content
        depth = quote.count
        if isSignature || content.last != ASCII.space {
            depth = nil
            output.append(ASCII.lf)
        } else if deletesSpace {
            output.removeLast()
        }
    }

    private mutating func beginLine(_ depth: Int, isEmpty: Bool) {
        guard depth > 0 else { return }
        output += repeatElement(ASCII.greater, count: depth)
        if !isEmpty { output.append(ASCII.space) }
    }

    /// Ends a paragraph whose last line ends with a soft break.
    private mutating func endParagraph() {
        guard depth != nil else { return }
        if output.last == ASCII.space { output.removeLast() }
        output.append(ASCII.lf)
        depth = nil
    }
}

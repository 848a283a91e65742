import CGumbo

/// Makes text from HTML that is too hostile for a tree: skips tags, breaks lines at blocks, and decodes entities.
enum HTMLTokens {
    static func text(of bytes: [UInt8], limit: Int) -> String {
        var writer = TextWriter(limit: limit)
        var tags = HTMLTags(bytes)
        while !writer.isFull, let token = tags.next() {
            switch token {
            case .text(let range): append(bytes[range], to: &writer)
            case .start(let name, _):
                let tag = GumboTag(named: bytes[name])
                if HTMLRules.isRawText(tag), HTMLLayout.isSilent(tag) {
                    tags.skipRawText(until: bytes[name])
                } else {
                    writer.begin(HTMLLayout(tag).withoutState)
                    if tag == GUMBO_TAG_LI { writer.append("- ") }
                }
            case .end(let name): writer.end(HTMLLayout(GumboTag(named: bytes[name])).withoutState)
            case .other: break
            }
        }
        return TextLines.capped(String(decoding: writer.output, as: UTF8.self), to: limit).trimmedEnd
    }

    private static func append(_ text: ArraySlice<UInt8>, to writer: inout TextWriter) {
        guard text.contains(UInt8(ascii: "&")) else {
            text.withUnsafeBufferPointer { writer.append($0) }
            return
        }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.count)
        _ = text.withUnsafeBufferPointer { HTMLEntities.decode($0, .lenient, into: &decoded) }
        decoded.withUnsafeBufferPointer { writer.append($0) }
    }
}

extension HTMLLayout {
    /// Without a tree there is no telling where a quotation, a list or a table ends.
    fileprivate var withoutState: HTMLLayout {
        switch self {
        case .preformatted, .quote, .item, .row, .definition: .block
        case .inline, .lineBreak, .block, .paragraph, .cell, .rule: self
        }
    }
}

extension String {
    fileprivate var trimmedEnd: String {
        guard utf8.last?.isBlank ?? false else { return self }
        let end = utf8.lastIndex { !$0.isBlank }.map { utf8.index(after: $0) } ?? startIndex
        return String(self[..<end])
    }
}

import CGumbo

/// Makes text as elements open and close, for both HTML readers.
///
/// Both readers, with and without gumbo's tree, call this type. So if they agree on the elements, they agree on the
/// text.
struct HTMLRenderer {
    private var writer: TextWriter
    private var links = LinkNotes()
    /// The open lists; nil: its items have no numbers.
    private var lists: [HTMLList?] = []
    private let limit: Int

    /// What a style sets, until an inner element changes it.
    private struct Style: Equatable {
        var hasNoSize = false
        var isInvisible = false
        var whiteSpace = WhiteSpace.collapsed
        var isUnseen: Bool { hasNoSize || isInvisible }
    }
    private var style = Style() {
        didSet { writer.whiteSpace = style.whiteSpace }
    }
    private var outer: [(depth: Int, style: Style)] = []
    private var depth = 0

    init(limit: Int) {
        self.limit = limit
        writer = TextWriter(limit: limit)
    }

    /// The text and the link notes below it: valid UTF-8 within the limit.
    func text() -> String {
        var end = min(writer.output.count, limit)
        while end < writer.output.count, end > 0, writer.output[end] & 0xC0 == 0x80 { end -= 1 }
        while end > 0, writer.output[end - 1].isBlank { end -= 1 }
        var output = Array(writer.output[..<end])
        links.write(to: &output, limit: limit)
        return String(decoding: output, as: UTF8.self)
    }

    /// Whether to read the content. Only then the element is closed again.
    mutating func open(_ tag: GumboTag, _ attributes: some HTMLAttributes) -> Bool {
        if HTMLLayout.isSilent(tag) || writer.isFull { return false }
        if attributes.attributeCount > 0 {
            let visibility = HTMLVisibility(of: attributes)
            guard !visibility.isHidden else { return false }
            change(visibility)
        }
        depth += 1
        begin(tag, attributes)
        return true
    }

    mutating func close(_ tag: GumboTag) {
        switch tag {
        case GUMBO_TAG_A: if let mark = links.end(writer.output) { writer.appendMark(mark) }
        case GUMBO_TAG_OL, GUMBO_TAG_UL: _ = lists.popLast()
        case GUMBO_TAG_Q: if !style.isUnseen { writer.append("\"") }
        case _: break
        }
        writer.end(HTMLLayout(tag))
        depth -= 1
        if let saved = outer.last, saved.depth == depth {
            style = saved.style
            outer.removeLast()
        }
    }

    mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
        if !style.isUnseen { writer.append(text) }
    }

    private mutating func begin(_ tag: GumboTag, _ attributes: some HTMLAttributes) {
        switch tag {
        case GUMBO_TAG_LI: beginItem(attributes)
        case GUMBO_TAG_HR where style.isInvisible: break
        case _: writer.begin(HTMLLayout(tag))
        }
        switch tag {
        case GUMBO_TAG_OL: lists.append(HTMLList(attributes))
        case GUMBO_TAG_UL: lists.append(nil)
        case GUMBO_TAG_Q: if !style.isUnseen { writer.append("\"") }
        case GUMBO_TAG_IMG where !style.isInvisible:
            _ = attributes.withValue(of: "alt") { writer.append($0) }
        case GUMBO_TAG_A:
            let target = attributes.withValue(of: "href") { LinkTarget($0) } ?? nil
            links.begin(target, at: writer.output.count)
        case _: break
        }
    }

    private mutating func beginItem(_ attributes: some HTMLAttributes) {
        guard var list = lists.last ?? nil else {
            writer.begin(.item)
            return
        }
        writer.beginItem(list.marker(of: attributes))
        lists[lists.count - 1] = list
    }

    private mutating func change(_ visibility: HTMLVisibility) {
        var inner = style
        switch visibility.font {
        case .hides: inner.hasNoSize = true
        case .shows: inner.hasNoSize = false
        case .unchanged: break
        }
        switch visibility.visibility {
        case .hides: inner.isInvisible = true
        case .shows: inner.isInvisible = false
        case .unchanged: break
        }
        inner.whiteSpace = visibility.whiteSpace ?? inner.whiteSpace
        guard inner != style else { return }
        outer.append((depth, style))
        style = inner
    }
}

import CGumbo

/// Text from HTML: blocks become lines, cells are parted by tabs, links become footnotes.
///
/// The tree is built by gumbo, which is slow on hostile input; ``HTMLGuard`` looks first, and what it refuses is
/// read by ``HTMLTokens``, which builds no tree. The tree is walked by its parent pointers, never by recursion.
public enum HTMLText {
    public static func convert(_ html: String, limit: Int = MIMELimits.standard.text) -> String {
        let bytes = Array(TextLines.capped(html, to: min(limit, MIMELimits.standard.text)).utf8)
        guard HTMLGuard.accepts(bytes) else { return HTMLTokens.text(of: bytes, limit: limit) }
        var options = kGumboDefaultOptions
        options.max_errors = 0
        return bytes.withUnsafeBytes { raw in
            guard let base = raw.bindMemory(to: CChar.self).baseAddress,
                let output = gumbo_parse_with_options(&options, base, raw.count)
            else { return "" }
            defer { gumbo_destroy_output(&options, output) }
            var walker = HTMLWalker(limit: limit)
            if let root = output.pointee.root { walker.walk(root) }
            return walker.text
        }
    }
}

/// One walk over one tree.
private struct HTMLWalker {
    private var writer: TextWriter
    private var links = LinkNotes()
    /// Elements in which blanks stay as they are.
    private var preformatted = 0

    init(limit: Int) { writer = TextWriter(limit: limit) }

    var text: String { writer.text + links.footnotes }

    /// Visits every node; goes up by the parent pointer and on by the index in it.
    mutating func walk(_ root: UnsafeMutablePointer<GumboNode>) {
        var node = root
        var isLeaving = false
        while true {
            if !isLeaving, enter(node), let child = Self.child(of: node, at: 0) {
                node = child
                continue
            }
            if !isLeaving, Self.isElement(node), !Self.isSkipped(node) { leave(node) }
            if isLeaving { leave(node) }
            guard node != root, let parent = node.pointee.parent else { return }
            if let sibling = Self.child(of: parent, at: node.pointee.index_within_parent + 1) {
                node = sibling
                isLeaving = false
            } else {
                node = parent
                isLeaving = true
            }
        }
    }

    /// Takes what a node says at its start; whether its children are to be visited.
    private mutating func enter(_ node: UnsafeMutablePointer<GumboNode>) -> Bool {
        switch node.pointee.type {
        case GUMBO_NODE_TEXT, GUMBO_NODE_CDATA, GUMBO_NODE_WHITESPACE:
            guard let text = node.pointee.v.text.text else { return false }
            writer.append(UnsafeBufferPointer(start: text, count: Self.length(text)), keepBlanks: preformatted > 0)
            links.note(textAt: writer.count)
            return false
        case GUMBO_NODE_ELEMENT:
            guard !Self.isSkipped(node), !writer.isFull else { return false }
            open(node)
            return true
        case _: return false
        }
    }

    private mutating func open(_ node: UnsafeMutablePointer<GumboNode>) {
        let tag = node.pointee.v.element.tag
        writer.begin(HTMLLayout.of(tag))
        if tag == GUMBO_TAG_PRE || tag == GUMBO_TAG_TEXTAREA { preformatted += 1 }
        if tag == GUMBO_TAG_IMG || tag == GUMBO_TAG_AREA, let alt = Self.attribute(node, "alt") {
            writer.append(alt)
        }
        if tag == GUMBO_TAG_A { links.begin(Self.attribute(node, "href"), at: writer.count) }
    }

    private mutating func leave(_ node: UnsafeMutablePointer<GumboNode>) {
        guard Self.isElement(node) else { return }
        let tag = node.pointee.v.element.tag
        if tag == GUMBO_TAG_PRE || tag == GUMBO_TAG_TEXTAREA { preformatted -= 1 }
        if tag == GUMBO_TAG_A, let mark = links.end(writer) { writer.append(mark) }
        writer.end(HTMLLayout.of(tag))
    }

    // MARK: The tree

    private static func isElement(_ node: UnsafeMutablePointer<GumboNode>) -> Bool {
        node.pointee.type == GUMBO_NODE_ELEMENT
    }

    private static func child(
        of node: UnsafeMutablePointer<GumboNode>, at index: Int
    ) -> UnsafeMutablePointer<GumboNode>? {
        guard isElement(node) else { return nil }
        let children = node.pointee.v.element.children
        guard index < Int(children.length), let data = children.data?[index] else { return nil }
        return data.assumingMemoryBound(to: GumboNode.self)
    }

    /// What is no text, and what the sender hid.
    private static func isSkipped(_ node: UnsafeMutablePointer<GumboNode>) -> Bool {
        switch node.pointee.v.element.tag {
        case GUMBO_TAG_HEAD, GUMBO_TAG_STYLE, GUMBO_TAG_SCRIPT, GUMBO_TAG_TITLE, GUMBO_TAG_NOSCRIPT,
            GUMBO_TAG_TEMPLATE, GUMBO_TAG_IFRAME, GUMBO_TAG_OBJECT, GUMBO_TAG_SELECT, GUMBO_TAG_SVG,
            GUMBO_TAG_MATH:
            return true
        case _: break
        }
        if attribute(node, "hidden") != nil { return true }
        return attribute(node, "style").map(HTMLLayout.hides) ?? false
    }

    private static func attribute(_ node: UnsafeMutablePointer<GumboNode>, _ name: String) -> String? {
        withUnsafePointer(to: node.pointee.v.element.attributes) { attributes in
            guard let found = gumbo_get_attribute(attributes, name) else { return nil }
            return found.pointee.value.map { String(cString: $0) }
        }
    }

    private static func length(_ text: UnsafePointer<CChar>) -> Int {
        var count = 0
        while text[count] != 0 { count += 1 }
        return count
    }
}

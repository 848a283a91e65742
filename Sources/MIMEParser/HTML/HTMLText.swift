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
    typealias Node = UnsafeMutablePointer<GumboNode>

    private var writer: TextWriter
    private var links = LinkNotes()

    init(limit: Int) { writer = TextWriter(limit: limit) }

    var text: String { writer.text + links.footnotes }

    /// Visits every node: down to the first child, else on to the next node that is not below.
    mutating func walk(_ root: Node) {
        var node = root
        while true {
            let isOpen = enter(node)
            if isOpen, let first = Self.child(of: node, at: 0) {
                node = first
                continue
            }
            if isOpen { leave(node) }
            guard let next = next(after: node, root: root) else { return }
            node = next
        }
    }

    /// The sibling of a node, or of the first parent that has one; leaves the parents on the way.
    private mutating func next(after node: Node, root: Node) -> Node? {
        var node = node
        while node != root, let parent = node.pointee.parent {
            if let sibling = Self.child(of: parent, at: node.pointee.index_within_parent + 1) {
                return sibling
            }
            leave(parent)
            node = parent
        }
        return nil
    }

    /// Takes what a node says at its start; whether it was opened, and its children are to be visited.
    private mutating func enter(_ node: Node) -> Bool {
        switch node.pointee.type {
        case GUMBO_NODE_TEXT, GUMBO_NODE_CDATA, GUMBO_NODE_WHITESPACE:
            if let text = node.pointee.v.text.text {
                UnsafeRawPointer(text).withMemoryRebound(to: UInt8.self, capacity: 1) {
                    writer.append(cString: $0)
                }
            }
            return false
        case GUMBO_NODE_ELEMENT:
            guard !writer.isFull, !Self.isSkipped(node) else { return false }
            open(node)
            return true
        case _: return false
        }
    }

    private mutating func open(_ node: Node) {
        let tag = node.pointee.v.element.tag
        writer.begin(HTMLLayout(tag))
        if tag == GUMBO_TAG_IMG, let alt = Self.attribute(node, "alt") { writer.append(alt) }
        if tag == GUMBO_TAG_A { links.begin(Self.attribute(node, "href"), at: writer.count) }
    }

    private mutating func leave(_ node: Node) {
        let tag = node.pointee.v.element.tag
        if tag == GUMBO_TAG_A, let mark = links.end(writer) { writer.append(mark) }
        writer.end(HTMLLayout(tag))
    }

    // MARK: The tree

    private static func child(of node: Node, at index: Int) -> Node? {
        guard node.pointee.type == GUMBO_NODE_ELEMENT else { return nil }
        let children = node.pointee.v.element.children
        guard index < Int(children.length), let child = children.data?[index] else { return nil }
        return child.assumingMemoryBound(to: GumboNode.self)
    }

    /// What is no text, and what the sender hid.
    private static func isSkipped(_ node: Node) -> Bool {
        if HTMLLayout.isSilent(node.pointee.v.element.tag) { return true }
        guard node.pointee.v.element.attributes.length > 0 else { return false }
        return attribute(node, "hidden") != nil || attribute(node, "style").map(HTMLLayout.hides) ?? false
    }

    private static func attribute(_ node: Node, _ name: String) -> String? {
        withUnsafePointer(to: node.pointee.v.element.attributes) { attributes in
            gumbo_get_attribute(attributes, name)?.pointee.value.map { String(cString: $0) }
        }
    }
}

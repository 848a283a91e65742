import CGumbo

/// gumbo's tree, walked by its parent pointers: without recursion, however deep the HTML is nested.
enum GumboTree {
    /// Builds the tree of HTML that ``HTMLGuard`` accepted, and visits it in document order. The bytes are UTF-8.
    static func walk(_ bytes: [UInt8], with visitor: inout some HTMLTreeVisitor) {
        var options = kGumboDefaultOptions
        options.max_errors = 0
        bytes.withUnsafeBytes { raw in
            guard let base = raw.bindMemory(to: CChar.self).baseAddress,
                let output = gumbo_parse_with_options(&options, base, raw.count)
            else { return }
            defer { gumbo_destroy_output(&options, output) }
            guard let root = output.pointee.root else { return }
            walk(HTMLElement(root), with: &visitor)
        }
    }

    /// Goes to the first child, otherwise to the next node that is not a descendant.
    private static func walk(_ root: HTMLElement, with visitor: inout some HTMLTreeVisitor) {
        var node = root
        while true {
            let isOpen = enter(node, &visitor)
            if isOpen, let first = node.child(at: 0) {
                node = first
                continue
            }
            if isOpen { visitor.leave(node) }
            guard let next = next(after: node, root: root, &visitor) else { return }
            node = next
        }
    }

    private static func enter(_ node: HTMLElement, _ visitor: inout some HTMLTreeVisitor) -> Bool {
        switch node.pointer.pointee.type {
        case GUMBO_NODE_TEXT, GUMBO_NODE_CDATA, GUMBO_NODE_WHITESPACE:
            if let text = node.pointer.pointee.v.text.text { visitor.take(text: HTMLElement.bytes(text)) }
            return false
        case GUMBO_NODE_ELEMENT: return visitor.enter(node)
        case _: return false
        }
    }

    /// The sibling of a node, or of its nearest ancestor that has one; leaves the ancestors in between.
    private static func next(
        after node: HTMLElement, root: HTMLElement, _ visitor: inout some HTMLTreeVisitor
    ) -> HTMLElement? {
        var node = node
        while node.pointer != root.pointer, let parent = node.pointer.pointee.parent.map(HTMLElement.init) {
            let index = node.pointer.pointee.index_within_parent + 1
            if let sibling = parent.child(at: index) { return sibling }
            visitor.leave(parent)
            node = parent
        }
        return nil
    }
}

/// Visits the nodes of a tree in document order.
protocol HTMLTreeVisitor {
    /// Whether to visit the content. Only then the element is left again.
    mutating func enter(_ element: HTMLElement) -> Bool
    mutating func leave(_ element: HTMLElement)
    mutating func take(text: UnsafeBufferPointer<UInt8>)
}

/// A node of gumbo's tree, valid during the walk.
struct HTMLElement: HTMLAttributes {
    let pointer: UnsafeMutablePointer<GumboNode>

    init(_ pointer: UnsafeMutablePointer<GumboNode>) { self.pointer = pointer }

    var tag: GumboTag { pointer.pointee.v.element.tag }
    /// In lower case; empty: an element that HTML does not define.
    var name: String { gumbo_normalized_tagname(tag).map { String(cString: $0) } ?? "" }
    /// Whether it is HTML, not SVG or MathML.
    var isHTML: Bool { pointer.pointee.v.element.tag_namespace == GUMBO_NAMESPACE_HTML }
    var attributeCount: Int { Int(pointer.pointee.v.element.attributes.length) }

    func withValue<Result>(
        of name: StaticString, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result? {
        let list = pointer.pointee.v.element.attributes
        for index in 0..<Int(list.length) {
            guard let attribute = list.data[index]?.assumingMemoryBound(to: GumboAttribute.self) else {
                continue
            }
            if let found = attribute.pointee.name, Self.bytes(found).elementsEqual(name) {
                return attribute.pointee.value.map { body(Self.bytes($0)) }
            }
        }
        return nil
    }

    /// Names are lower case, values decoded.
    func forEachAttribute(_ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Void) {
        let list = pointer.pointee.v.element.attributes
        for index in 0..<Int(list.length) {
            guard let attribute = list.data[index]?.assumingMemoryBound(to: GumboAttribute.self),
                let name = attribute.pointee.name, let value = attribute.pointee.value
            else { continue }
            body(Self.bytes(name), Self.bytes(value))
        }
    }

    var itemCount: Int? {
        let children = pointer.pointee.v.element.children
        return (0..<Int(children.length)).count { index in
            guard let child = child(at: index), child.pointer.pointee.type == GUMBO_NODE_ELEMENT else {
                return false
            }
            return child.tag == GUMBO_TAG_LI
        }
    }

    fileprivate func child(at index: Int) -> HTMLElement? {
        guard pointer.pointee.type == GUMBO_NODE_ELEMENT else { return nil }
        let children = pointer.pointee.v.element.children
        guard index < Int(children.length), let child = children.data?[index] else { return nil }
        return HTMLElement(child.assumingMemoryBound(to: GumboNode.self))
    }

    fileprivate static func bytes(_ text: UnsafePointer<CChar>) -> UnsafeBufferPointer<UInt8> {
        var count = 0
        while text[count] != 0 { count += 1 }
        let start = UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self)
        return UnsafeBufferPointer(start: start, count: count)
    }
}

/// The attributes of an element, read without creating strings.
protocol HTMLAttributes {
    var attributeCount: Int { get }
    /// How many list items are directly in the element; nil: not known yet.
    var itemCount: Int? { get }
    /// The decoded value of an attribute; the name is in lower case.
    func withValue<Result>(of name: StaticString, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result?
}

extension HTMLAttributes {
    var itemCount: Int? { nil }
}

extension UnsafeBufferPointer<UInt8> {
    func elementsEqual(_ word: StaticString) -> Bool {
        guard count == word.utf8CodeUnitCount else { return false }
        return word.withUTF8Buffer { expected in
            for index in 0..<count where self[index] != expected[index] { return false }
            return true
        }
    }
}

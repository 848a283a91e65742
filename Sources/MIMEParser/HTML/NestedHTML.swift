import CGumbo

/// Makes text from properly nested HTML, without a tree and many times faster.
///
/// It keeps the stack of open elements of HTML Standard §13.2.6 and continues only while the standard's behaviour is
/// simple: a start tag opens an element inside the innermost open one, after closing a paragraph, an item, a cell or a
/// row that ends there; an end tag closes the innermost open element, after those that end by themselves. If the
/// standard would move, repeat, ignore or repair something, reading ends without a text, and the tree is used.
///
/// So elements open and close in the order of the tree, and ``HTMLRenderer`` gets the same calls from both readers.
struct NestedHTML {
    private enum Phase {
        case start
        case head
        case afterHead
        case body
    }

    private var tags: HTMLTags
    private let bytes: [UInt8]
    var renderer: HTMLRenderer
    private var phase = Phase.start
    private var sawHTML = false
    var stack = OpenElements()
    /// The index in the stack of the element that hides its content.
    var hiddenFrom: Int?
    /// Whether the last tag was `<pre>`: a line end right after it is dropped.
    private var isAfterPre = false
    private var decoded: [UInt8] = []
    private let kinds = NestingKind.ofTags

    /// nil: the HTML must be read as a tree.
    static func text(of bytes: [UInt8], limit: Int) -> String? {
        var reader = NestedHTML(bytes, limit: limit)
        return reader.read() ? reader.renderer.text() : nil
    }

    private init(_ bytes: [UInt8], limit: Int) {
        tags = HTMLTags(bytes)
        self.bytes = bytes
        renderer = HTMLRenderer(limit: limit)
    }

    private mutating func read() -> Bool {
        while let token = tags.next() {
            let isPlain: Bool
            switch token {
            case .text(let range): isPlain = take(text: range)
            case .start(let name, let count):
                isPlain = !tags.isIrregular && count <= HTMLGuard.maximumAttributes && start(name)
            case .end(let name): isPlain = !tags.isIrregular && end(name)
            case .other: isPlain = true
            }
            guard isPlain else { return false }
            if case .start = token { continue }
            isAfterPre = false
        }
        while stack.count > 0 { pop() }
        return true
    }

    // MARK: Text

    private mutating func take(text range: Range<Int>) -> Bool {
        var range = range
        if phase != .body || stack.isInTable {
            let isBlank = bytes[range].allSatisfy { $0.isBlank || $0 == 0x0C }
            if !isBlank, phase == .body { return false }
            if isBlank, phase != .body { return true }
            phase = .body
        }
        if isAfterPre {
            if bytes[range.lowerBound] == UInt8(ascii: "&") { return false }
            if bytes[range].hasPrefix("\r\n") { range = (range.lowerBound + 1)..<range.upperBound }
            if bytes[range.lowerBound] == ASCII.lf || bytes[range.lowerBound] == ASCII.cr {
                range = (range.lowerBound + 1)..<range.upperBound
            }
        }
        return hiddenFrom != nil || append(range)
    }

    private mutating func append(_ range: Range<Int>) -> Bool {
        bytes.withUnsafeBufferPointer { all in
            let text = UnsafeBufferPointer(rebasing: all[range])
            guard text.firstOffset(of: UInt8(ascii: "&"), from: 0, to: text.count) != nil else {
                renderer.append(text)
                return true
            }
            decoded.removeAll(keepingCapacity: true)
            guard HTMLEntities.decode(text, .text, into: &decoded) else { return false }
            decoded.withUnsafeBufferPointer { renderer.append($0) }
            return true
        }
    }

    // MARK: Start tags

    private mutating func start(_ name: Range<Int>) -> Bool {
        isAfterPre = false
        let tag = bytes.withUnsafeBufferPointer { GumboTag(named: UnsafeBufferPointer(rebasing: $0[name])) }
        let kind = kinds[Int(tag.rawValue)]
        switch kind {
        case .html, .head, .body: return startFrame(kind, tag)
        case .raw: return !stack.isInColumns && skipRaw(name, tag)
        case .silent:
            if phase == .start { phase = .head }
            return !stack.isInColumns
        case .other: return false
        case .void, .rule, .inline, .formatting, .link, .block, .heading, .paragraph, .preformatted, .item,
            .definition, .table, .section, .row, .cell, .caption, .columns, .column:
            phase = .body
            return startContent(kind, tag, name)
        }
    }

    private mutating func startContent(_ kind: NestingKind, _ tag: GumboTag, _ name: Range<Int>) -> Bool {
        switch kind {
        case .section, .row, .cell, .caption, .columns, .column: return startTablePart(kind, tag)
        case _ where stack.isInTable: return false
        case .void: return void(tag)
        case .rule: return closeParagraph() && void(tag)
        case .link: if stack.links > 0 { return false }
        case .block, .paragraph, .preformatted: if !closeParagraph() { return false }
        case .heading: if !closeParagraph() || stack.top?.kind == .heading { return false }
        case .item, .definition: if !closeItem(kind) || !closeParagraph() { return false }
        case .table: if stack.hasParagraph { return false }
        case .inline, .formatting, .html, .head, .body, .raw, .silent, .other: break
        }
        if tag == GUMBO_TAG_OL, isCountedList() { return false }
        isAfterPre = kind == .preformatted
        return push(OpenElement(tag: tag, kind: kind, name: name))
    }

    private mutating func startFrame(_ kind: NestingKind, _ tag: GumboTag) -> Bool {
        switch (kind, phase) {
        case (.html, .start) where !sawHTML:
            sawHTML = true
            return open(tag)
        case (.head, .start):
            phase = .head
            return true
        case (.body, .start), (.body, .head), (.body, .afterHead):
            phase = .body
            return open(tag)
        case _: return false
        }
    }

    /// Styles, scripts and titles: nothing in them is a tag or text.
    private mutating func skipRaw(_ name: Range<Int>, _ tag: GumboTag) -> Bool {
        if phase == .start { phase = .head }
        let start = tags.index
        tags.skipRawText(until: bytes[name])
        let script = bytes[start..<tags.index]
        _ = tags.next()
        guard tag == GUMBO_TAG_SCRIPT else { return true }
        return !script.indices.contains { script[$0...].hasPrefix("<!--") }
    }

    /// The numbers of a reversed list need its end, which is not read yet.
    private func isCountedList() -> Bool {
        !tags.attributes.isEmpty
            && bytes.withUnsafeBufferPointer {
                HTMLList.isCounted(TagAttributes(bytes: $0, list: tags.attributes))
            }
    }

    // MARK: End tags

    private mutating func end(_ name: Range<Int>) -> Bool {
        isAfterPre = false
        let tag = bytes.withUnsafeBufferPointer { GumboTag(named: UnsafeBufferPointer(rebasing: $0[name])) }
        let kind = kinds[Int(tag.rawValue)]
        switch kind {
        case .head:
            guard phase == .head else { return false }
            phase = .afterHead
            return true
        case .html, .body:
            phase = .body
            return true
        case .void where tag != GUMBO_TAG_BR: return phase == .body
        case .inline, .formatting, .link:
            guard let top = stack.top, top.tag == tag, isSame(top, name) else { return false }
            pop()
            return true
        case .paragraph: return endParagraph()
        case .block, .heading, .preformatted, .item, .definition, .cell, .caption, .columns:
            closeImplied(except: tag)
            return popIf(tag)
        case .row, .section, .table:
            closeParts(inside: kind)
            return popIf(tag)
        case .void, .rule, .raw, .silent, .column, .other: return false
        }
    }

    private mutating func popIf(_ tag: GumboTag) -> Bool {
        guard stack.top?.tag == tag else { return false }
        pop()
        return true
    }

    /// `</p>` without a paragraph makes an empty one.
    private mutating func endParagraph() -> Bool {
        if phase != .body || stack.isInTable { return false }
        if stack.hasParagraph { return closeParagraph() }
        guard hiddenFrom == nil else { return true }
        if renderer.open(GUMBO_TAG_P, NoAttributes()) { renderer.close(GUMBO_TAG_P) }
        return true
    }

    /// Elements that HTML does not know are distinguished by their names.
    private func isSame(_ open: OpenElement, _ name: Range<Int>) -> Bool {
        guard open.tag == GUMBO_TAG_UNKNOWN else { return true }
        return bytes[open.name].elementsEqual(bytes[name]) { $0.lowercasedASCII == $1.lowercasedASCII }
    }

    // MARK: What closes by itself

    private mutating func closeImplied(except tag: GumboTag) {
        while let top = stack.top, top.tag != tag, top.kind.isImplied { pop() }
    }

    private mutating func closeParagraph() -> Bool {
        guard stack.hasParagraph else { return true }
        closeImplied(except: GUMBO_TAG_P)
        return popIf(GUMBO_TAG_P)
    }

    private mutating func closeItem(_ kind: NestingKind) -> Bool {
        guard kind == .item ? stack.hasItem : stack.hasDefinition else { return true }
        while let top = stack.top, top.kind != kind, top.kind.isImplied { pop() }
        guard stack.top?.kind == kind else { return false }
        pop()
        return true
    }

    // MARK: The stack

    private mutating func void(_ tag: GumboTag) -> Bool {
        guard attributesAreExact() else { return false }
        if hiddenFrom == nil, open(tag) { renderer.close(tag) }
        return true
    }

    mutating func push(_ element: OpenElement) -> Bool {
        guard stack.count < HTMLGuard.maximumDepth, attributesAreExact() else { return false }
        if hiddenFrom == nil, !open(element.tag) { hiddenFrom = stack.count }
        stack.push(element)
        return true
    }

    mutating func pop() {
        guard let element = stack.pop() else { return }
        guard let hidden = hiddenFrom else { return renderer.close(element.tag) }
        if hidden == stack.count { hiddenFrom = nil }
    }

    private mutating func open(_ tag: GumboTag) -> Bool {
        bytes.withUnsafeBufferPointer { renderer.open(tag, TagAttributes(bytes: $0, list: tags.attributes)) }
    }

    /// Whether the references in the attributes that are read can be decoded.
    private mutating func attributesAreExact() -> Bool {
        for attribute in tags.attributes where hiddenFrom == nil && !attribute.value.isEmpty {
            // href, hidden, alt, style, start, value, type
            guard [0x68, 0x61, 0x73, 0x76, 0x74].contains(bytes[attribute.name.lowerBound] | 0x20) else {
                continue
            }
            let isExact = bytes.withUnsafeBufferPointer { all in
                let value = UnsafeBufferPointer(rebasing: all[attribute.value])
                guard value.firstOffset(of: UInt8(ascii: "&"), from: 0, to: value.count) != nil else {
                    return true
                }
                decoded.removeAll(keepingCapacity: true)
                return HTMLEntities.decode(value, .attribute, into: &decoded)
            }
            if !isExact { return false }
        }
        return true
    }
}

import CGumbo

/// How the standard treats an element, as far as ``NestedHTML`` follows it.
enum NestingKind: UInt8 {
    case html
    case head
    case body
    /// The content is not read, including its tags.
    case raw
    /// Empty and invisible: `meta`, `link`.
    case silent
    case void
    case rule
    /// Closed only by its own end tag.
    case inline
    /// Like inline; the standard may reopen it, which does not change the text.
    case formatting
    case link
    case block
    case heading
    case paragraph
    case preformatted
    case item
    case definition
    case table
    case section
    case row
    case cell
    case caption
    case columns
    case column
    /// Has special rules: forms, frames, ruby, SVG, templates.
    case other

    /// Whether it ends together with its parent.
    var isImplied: Bool {
        switch self {
        case .item, .definition, .paragraph: true
        case .html, .head, .body, .raw, .silent, .void, .rule, .inline, .formatting, .link, .block, .heading,
            .preformatted, .table, .section, .row, .cell, .caption, .columns, .column, .other:
            false
        }
    }

    /// The kind for each of gumbo's tags. For a missing tag, the tree is used.
    static let ofTags: [NestingKind] = {
        var table = [NestingKind](repeating: .other, count: Int(GUMBO_TAG_LAST.rawValue) + 1)
        for (kind, tags) in lists { for tag in tags { table[Int(tag.rawValue)] = kind } }
        return table
    }()

    private static let lists: [(NestingKind, [GumboTag])] = [
        (.html, [GUMBO_TAG_HTML]), (.head, [GUMBO_TAG_HEAD]), (.body, [GUMBO_TAG_BODY]),
        (.raw, [GUMBO_TAG_STYLE, GUMBO_TAG_SCRIPT, GUMBO_TAG_TITLE]),
        (.silent, [GUMBO_TAG_META, GUMBO_TAG_LINK, GUMBO_TAG_BASE]),
        (.void, [GUMBO_TAG_BR, GUMBO_TAG_IMG, GUMBO_TAG_WBR, GUMBO_TAG_AREA]), (.rule, [GUMBO_TAG_HR]),
        (
            .inline,
            [
                GUMBO_TAG_SPAN, GUMBO_TAG_UNKNOWN, GUMBO_TAG_ABBR, GUMBO_TAG_ACRONYM, GUMBO_TAG_CITE,
                GUMBO_TAG_SUB,
                GUMBO_TAG_SUP, GUMBO_TAG_INS, GUMBO_TAG_DEL, GUMBO_TAG_KBD, GUMBO_TAG_VAR, GUMBO_TAG_SAMP,
                GUMBO_TAG_MARK, GUMBO_TAG_Q, GUMBO_TAG_TIME, GUMBO_TAG_BDI, GUMBO_TAG_BDO, GUMBO_TAG_DFN,
                GUMBO_TAG_LABEL, GUMBO_TAG_MAP,
            ]
        ),
        (
            .formatting,
            [
                GUMBO_TAG_B, GUMBO_TAG_BIG, GUMBO_TAG_CODE, GUMBO_TAG_EM, GUMBO_TAG_FONT, GUMBO_TAG_I,
                GUMBO_TAG_S,
                GUMBO_TAG_SMALL, GUMBO_TAG_STRIKE, GUMBO_TAG_STRONG, GUMBO_TAG_TT, GUMBO_TAG_U,
            ]
        ),
        (.link, [GUMBO_TAG_A]),
        (
            .block,
            [
                GUMBO_TAG_ADDRESS, GUMBO_TAG_ARTICLE, GUMBO_TAG_ASIDE, GUMBO_TAG_BLOCKQUOTE, GUMBO_TAG_CENTER,
                GUMBO_TAG_DIV, GUMBO_TAG_DL, GUMBO_TAG_FIGCAPTION, GUMBO_TAG_FIGURE, GUMBO_TAG_FOOTER,
                GUMBO_TAG_HEADER, GUMBO_TAG_MAIN, GUMBO_TAG_NAV, GUMBO_TAG_OL, GUMBO_TAG_SECTION,
                GUMBO_TAG_UL,
            ]
        ),
        (
            .heading,
            [GUMBO_TAG_H1, GUMBO_TAG_H2, GUMBO_TAG_H3, GUMBO_TAG_H4, GUMBO_TAG_H5, GUMBO_TAG_H6]
        ),
        (.paragraph, [GUMBO_TAG_P]), (.preformatted, [GUMBO_TAG_PRE]), (.item, [GUMBO_TAG_LI]),
        (.definition, [GUMBO_TAG_DD, GUMBO_TAG_DT]), (.table, [GUMBO_TAG_TABLE]),
        (.section, [GUMBO_TAG_TBODY, GUMBO_TAG_THEAD, GUMBO_TAG_TFOOT]), (.row, [GUMBO_TAG_TR]),
        (.cell, [GUMBO_TAG_TD, GUMBO_TAG_TH]), (.caption, [GUMBO_TAG_CAPTION]),
        (.columns, [GUMBO_TAG_COLGROUP]), (.column, [GUMBO_TAG_COL]),
    ]
}

struct OpenElement {
    var tag: GumboTag
    var kind: NestingKind
    /// The position of the name, for elements that HTML does not define.
    var name = 0..<0
    /// Whether a start tag at this point would have to close a paragraph.
    fileprivate(set) var hasParagraph = false
    fileprivate(set) var hasItem = false
    fileprivate(set) var hasDefinition = false

    init(tag: GumboTag, kind: NestingKind, name: Range<Int> = 0..<0) {
        (self.tag, self.kind, self.name) = (tag, kind, name)
    }
}

/// The stack of open elements. Each entry records what is open around it, so that no check walks the stack.
struct OpenElements {
    private var elements: [OpenElement] = []
    /// The number of open links.
    private(set) var links = 0

    var count: Int { elements.count }
    var top: OpenElement? { elements.last }

    var hasParagraph: Bool { elements.last?.hasParagraph ?? false }
    var hasItem: Bool { elements.last?.hasItem ?? false }
    var hasDefinition: Bool { elements.last?.hasDefinition ?? false }

    var isInColumns: Bool { elements.last?.kind == .columns }

    /// Whether the standard would move text and elements to before the table.
    var isInTable: Bool {
        switch elements.last?.kind {
        case .table, .section, .row, .columns: true
        case .cell, .caption, .html, .head, .body, .raw, .silent, .void, .rule, .inline, .formatting, .link,
            .block,
            .heading, .paragraph, .preformatted, .item, .definition, .column, .other, nil:
            false
        }
    }

    mutating func push(_ element: OpenElement) {
        var element = element
        let isScope = element.kind == .table || element.kind == .cell || element.kind == .caption
        element.hasParagraph = element.kind == .paragraph || (hasParagraph && !isScope)
        let isPassed = Self.isPassed(element)
        element.hasItem = element.kind == .item || (hasItem && isPassed)
        element.hasDefinition = element.kind == .definition || (hasDefinition && isPassed)
        if element.kind == .link { links += 1 }
        elements.append(element)
    }

    mutating func pop() -> OpenElement? {
        guard let element = elements.popLast() else { return nil }
        if element.kind == .link { links -= 1 }
        return element
    }

    /// The search for an open item continues through these elements.
    private static func isPassed(_ element: OpenElement) -> Bool {
        switch element.kind {
        case .inline, .formatting, .link, .paragraph: true
        case .block: element.tag == GUMBO_TAG_DIV || element.tag == GUMBO_TAG_ADDRESS
        case .html, .head, .body, .raw, .silent, .void, .rule, .heading, .preformatted, .item, .definition,
            .table,
            .section, .row, .cell, .caption, .columns, .column, .other:
            false
        }
    }
}

/// The attributes of a start tag, undecoded.
struct TagAttributes: HTMLAttributes {
    let bytes: UnsafeBufferPointer<UInt8>
    let list: [HTMLTags.Attribute]

    var attributeCount: Int { list.count }

    func withValue<Result>(
        of name: StaticString, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result? {
        for attribute in list where isNamed(attribute, name) {
            let value = UnsafeBufferPointer(rebasing: bytes[attribute.value])
            guard value.firstOffset(of: UInt8(ascii: "&"), from: 0, to: value.count) != nil else {
                return body(value)
            }
            var decoded: [UInt8] = []
            _ = HTMLEntities.decode(value, .attribute, into: &decoded)
            return decoded.withUnsafeBufferPointer(body)
        }
        return nil
    }

    private func isNamed(_ attribute: HTMLTags.Attribute, _ name: StaticString) -> Bool {
        guard attribute.name.count == name.utf8CodeUnitCount else { return false }
        return name.withUTF8Buffer { expected in
            for offset in 0..<expected.count
            where bytes[attribute.name.lowerBound + offset].lowercasedASCII != expected[offset] {
                return false
            }
            return true
        }
    }
}

/// Of an element that the HTML does not have, but the parser needs.
struct NoAttributes: HTMLAttributes {
    var attributeCount: Int { 0 }
    func withValue<Result>(of name: StaticString, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
        nil
    }
}

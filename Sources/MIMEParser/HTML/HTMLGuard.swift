import CGumbo

/// Checks HTML before gumbo builds a tree. gumbo takes quadratic time and memory for deep nesting, for many attributes,
/// and for formatting elements that it reopens in every block.
///
/// The check is fast and errs on the safe side. It keeps a stack of open elements as the tree builder would, closes an
/// element only if the builder certainly does, and refuses HTML whose stack, attributes or estimated work exceed a
/// limit.
struct HTMLGuard {
    static let maximumDepth = 400
    static let maximumAttributes = 200
    /// Stack steps, and elements that the builder may reopen.
    static let maximumWork = 2_000_000

    private struct Open {
        var tag: GumboTag
        var name: Range<Int>
    }

    private let bytes: [UInt8]
    private var stack: [Open] = []
    /// The number of open formatting elements.
    private var formatting = 0
    private var work = 0
    private var hasForeign = false
    /// Inside raw text, the builder may or may not see tags: start tags count, end tags do not.
    private var rawText: GumboTag?

    static func accepts(_ bytes: [UInt8]) -> Bool {
        var look = HTMLGuard(bytes: bytes)
        return look.run()
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func run() -> Bool {
        var tags = HTMLTags(bytes)
        while true {
            let start = tags.index
            guard let token = tags.next() else { return true }
            switch token {
            case .text: break
            case .other:
                // The ends of comments and CDATA depend on the state of the builder.
                if rawText != nil || (hasForeign && bytes[start...].hasPrefix("<![CDATA[")) { return false }
            case .start(let name, let attributes):
                if attributes > Self.maximumAttributes { return false }
                begin(GumboTag(named: bytes[name]), name, attributes: attributes)
            case .end(let name): end(GumboTag(named: bytes[name]), name)
            }
            if stack.count > Self.maximumDepth || work > Self.maximumWork { return false }
        }
    }

    // MARK: Start tags

    private mutating func begin(_ tag: GumboTag, _ name: Range<Int>, attributes: Int) {
        work += 1 + formatting * 4
        if tag == GUMBO_TAG_SVG || tag == GUMBO_TAG_MATH { hasForeign = true }
        if HTMLRules.isVoid(tag) { return }
        if HTMLRules.isFormatting(tag) {
            work += formatting * attributes * attributes
            formatting += 1
        }
        if rawText == nil, HTMLRules.isRawText(tag) { rawText = tag }
        // Inside SVG and MathML, a start tag closes nothing.
        if rawText == nil, !hasForeign { closeImplied(before: tag) }
        stack.append(Open(tag: tag, name: name))
    }

    /// Closes what a start tag closes by itself: a paragraph before a block, an item before an item, a cell before a
    /// cell.
    private mutating func closeImplied(before tag: GumboTag) {
        switch tag {
        case GUMBO_TAG_LI: popItem([GUMBO_TAG_LI])
        case GUMBO_TAG_DD, GUMBO_TAG_DT: popItem([GUMBO_TAG_DD, GUMBO_TAG_DT])
        case GUMBO_TAG_TD, GUMBO_TAG_TH: popInTable([GUMBO_TAG_TD, GUMBO_TAG_TH])
        case GUMBO_TAG_TR: popInTable([GUMBO_TAG_TD, GUMBO_TAG_TH, GUMBO_TAG_TR])
        case GUMBO_TAG_TBODY, GUMBO_TAG_THEAD, GUMBO_TAG_TFOOT:
            popInTable([
                GUMBO_TAG_TD, GUMBO_TAG_TH, GUMBO_TAG_TR, GUMBO_TAG_TBODY, GUMBO_TAG_THEAD, GUMBO_TAG_TFOOT,
            ])
        case GUMBO_TAG_OPTION: if stack.last?.tag == GUMBO_TAG_OPTION { stack.removeLast() }
        case _: break
        }
        if HTMLRules.closesParagraph(tag), let place = place(of: GUMBO_TAG_P, stops: HTMLRules.isScope) {
            stack.removeSubrange(place...)
        }
    }

    private mutating func popItem(_ tags: [GumboTag]) {
        for place in stack.indices.reversed() {
            work += 1
            let tag = stack[place].tag
            if tags.contains(tag) {
                stack.removeSubrange(place...)
                return
            }
            let isPassed = tag == GUMBO_TAG_ADDRESS || tag == GUMBO_TAG_DIV || tag == GUMBO_TAG_P
            if HTMLRules.isSpecial(tag), !isPassed { return }
        }
    }

    /// Pops up to the outermost of these tags inside the innermost table.
    private mutating func popInTable(_ tags: [GumboTag]) {
        var lowest: Int?
        for place in stack.indices.reversed() {
            work += 1
            let tag = stack[place].tag
            if tag == GUMBO_TAG_TEMPLATE { return }
            if tag == GUMBO_TAG_TABLE {
                if let lowest { stack.removeSubrange(lowest...) }
                return
            }
            if tags.contains(tag) { lowest = place }
        }
    }

    // MARK: End tags

    private mutating func end(_ tag: GumboTag, _ name: Range<Int>) {
        work += 1 + formatting * 4
        if let raw = rawText {
            guard raw == tag else { return }
            rawText = nil
        }
        let found: Int?
        switch tag {
        case GUMBO_TAG_TABLE: found = place(of: tag) { $0 == GUMBO_TAG_TEMPLATE }
        case GUMBO_TAG_TD, GUMBO_TAG_TH, GUMBO_TAG_TR, GUMBO_TAG_TBODY, GUMBO_TAG_THEAD, GUMBO_TAG_TFOOT,
            GUMBO_TAG_CAPTION:
            found = place(of: tag) { $0 == GUMBO_TAG_TEMPLATE || $0 == GUMBO_TAG_TABLE }
        case _ where HTMLRules.isSpecial(tag): found = place(of: tag, stops: HTMLRules.isScope)
        case _: found = place(of: tag, name: name, stops: HTMLRules.isSpecial)
        }
        guard let found else { return }
        stack.removeSubrange(found...)
        if HTMLRules.isFormatting(tag) { formatting = max(0, formatting - 1) }
    }

    private mutating func place(
        of tag: GumboTag, name: Range<Int>? = nil, stops: (GumboTag) -> Bool
    ) -> Int? {
        for place in stack.indices.reversed() {
            work += 1
            let candidate = stack[place]
            if candidate.tag == tag, isSame(candidate, tag, name) { return place }
            if stops(candidate.tag) { return nil }
        }
        return nil
    }

    /// Elements that HTML does not define are compared by name.
    private func isSame(_ open: Open, _ tag: GumboTag, _ name: Range<Int>?) -> Bool {
        guard tag == GUMBO_TAG_UNKNOWN else { return true }
        guard let name else { return false }
        return bytes[open.name].elementsEqual(bytes[name]) { $0.lowercasedASCII == $1.lowercasedASCII }
    }
}

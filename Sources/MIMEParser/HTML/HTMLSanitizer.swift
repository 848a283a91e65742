import CGumbo

/// One pass of ``SanitizedHTML``: walks the tree and writes what ``HTMLPolicy`` allows.
struct HTMLSanitizer: HTMLTreeVisitor {
    private(set) var output: [UInt8] = []
    private(set) var suspectLinks: [SuspectLink] = []
    private(set) var removedRemote = 0
    private(set) var contentIDs: [String] = []

    private struct Link {
        var target: LinkTarget
        var text: [UInt8] = []
    }

    private let limit: Int
    private var depth = 0
    /// The depth of the element that is removed or invisible.
    private var droppedFrom: Int?
    private var hiddenFrom: Int?
    private var links: [Link?] = []
    private var isInStyle = false
    /// Whether the last tag was `<pre>`: parsers drop a line end right after it.
    private var isAfterPre = false

    /// The most bytes of text to judge a link by.
    private static let linkText = 2_000
    private static let suspects = 200

    /// nil: ``HTMLGuard`` refused the HTML.
    static func sanitize(_ input: [UInt8], limit: Int) -> HTMLSanitizer? {
        guard HTMLGuard.accepts(input) else { return nil }
        var sanitizer = HTMLSanitizer(limit: limit)
        GumboTree.walk(input, with: &sanitizer)
        return sanitizer
    }

    private init(limit: Int) { self.limit = limit }

    // MARK: Elements

    mutating func enter(_ element: HTMLElement) -> Bool {
        depth += 1
        isAfterPre = false
        removedRemote += RemoteContent.count(in: element)
        isInStyle = element.tag == GUMBO_TAG_STYLE
        guard droppedFrom == nil, output.count < limit else { return true }
        switch HTMLPolicy.fate(of: element) {
        case .dropped: droppedFrom = depth
        case .unwrapped: break
        case .kept(let name): begin(name, element)
        }
        if hiddenFrom == nil, HTMLVisibility(of: element).isHidden { hiddenFrom = depth }
        return true
    }

    private mutating func begin(_ name: StaticString, _ element: HTMLElement) {
        let writer = HTMLAttributeWriter(element)
        if element.tag == GUMBO_TAG_IMG {
            guard !RemoteContent.isTrackingPixel(element) else { return }
            if let id = writer.contentID, !contentIDs.contains(id), contentIDs.count < 1_000 {
                contentIDs.append(id)
            }
        }
        output.append(ASCII.less)
        name.withUTF8Buffer { output += $0 }
        writer.write(to: &output)
        output.append(ASCII.greater)
        if element.tag == GUMBO_TAG_A { links.append(writer.target.map { Link(target: $0) }) }
        isAfterPre = name.utf8CodeUnitCount == 3 && HTMLPolicy.isPre(element.tag)
        written.append(depth)
    }

    /// The depths whose start tags were written, and so need end tags.
    private var written: [Int] = []

    mutating func leave(_ element: HTMLElement) {
        isAfterPre = false
        isInStyle = false
        if droppedFrom == depth { droppedFrom = nil }
        if hiddenFrom == depth { hiddenFrom = nil }
        if written.last == depth {
            written.removeLast()
            end(element)
        }
        depth -= 1
    }

    private mutating func end(_ element: HTMLElement) {
        guard case .kept(let name) = HTMLPolicy.fate(of: element) else { return }
        if element.tag == GUMBO_TAG_A, let link = links.popLast() ?? nil { judge(link) }
        guard !HTMLRules.isVoid(element.tag) else { return }
        output += "</".utf8
        name.withUTF8Buffer { output += $0 }
        output.append(ASCII.greater)
    }

    // MARK: Text

    mutating func take(text: UnsafeBufferPointer<UInt8>) {
        if isInStyle { removedRemote += RemoteContent.count(inStyle: text) }
        guard droppedFrom == nil, output.count < limit else { return }
        var end = min(text.count, limit - output.count)
        while end < text.count, end > 0, text[end] & 0xC0 == 0x80 { end -= 1 }
        let text = UnsafeBufferPointer(rebasing: text[..<end])
        if isAfterPre, text.first == ASCII.lf { output.append(ASCII.lf) }
        isAfterPre = false
        HTMLEscape.append(text, to: &output, isAttribute: false)
        guard hiddenFrom == nil else { return }
        for index in links.indices.suffix(4) {
            let room = Self.linkText - (links[index]?.text.count ?? Self.linkText)
            links[index]?.text += text.prefix(max(0, room))
        }
    }

    private mutating func judge(_ link: Link) {
        guard suspectLinks.count < Self.suspects else { return }
        let text = LinkText(link.text)
        guard text.misleads(about: link.target) else { return }
        suspectLinks.append(SuspectLink(text: text.shown, target: link.target.text))
    }
}

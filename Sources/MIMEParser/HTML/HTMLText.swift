import CGumbo

/// Text from HTML: blocks become lines, cells are parted by tabs, links become footnotes, quotations are marked.
///
/// Most mail nests as it is written and is read by ``NestedHTML``, in one go and without a tree. The rest is read as
/// the HTML Standard reads it, from gumbo's tree; and what ``HTMLGuard`` thinks too hostile for that, by
/// ``HTMLTokens``.
public enum HTMLText {
    /// The HTML is given away: it may be let go as soon as it was copied.
    public static func convert(
        _ html: consuming String, limit: Int = MIMELimits.standard.text
    ) -> String {
        let bytes = HTMLInput.bytes(of: html, limit: min(limit, MIMELimits.standard.text))
        if let text = NestedHTML.text(of: bytes, limit: limit) { return text }
        guard HTMLGuard.accepts(bytes) else { return HTMLTokens.text(of: bytes, limit: limit) }
        return treeText(of: bytes, limit: limit)
    }

    static func treeText(of bytes: [UInt8], limit: Int) -> String {
        var reader = HTMLTreeReader(renderer: HTMLRenderer(limit: limit))
        GumboTree.walk(bytes, with: &reader)
        return reader.renderer.text()
    }
}

private struct HTMLTreeReader: HTMLTreeVisitor {
    var renderer: HTMLRenderer

    mutating func enter(_ element: HTMLElement) -> Bool { renderer.open(element.tag, element) }
    mutating func leave(_ element: HTMLElement) { renderer.close(element.tag) }
    mutating func take(text: UnsafeBufferPointer<UInt8>) { renderer.append(text) }
}

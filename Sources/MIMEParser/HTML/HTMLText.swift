import CGumbo

/// Makes text from HTML: blocks become lines, tabs separate cells, links become footnotes, and quotations are marked.
///
/// Most mail nests its elements properly, and ``NestedHTML`` reads it in one pass without a tree. gumbo's tree is used
/// for the rest, and ``HTMLTokens`` for HTML that ``HTMLGuard`` refuses.
public enum HTMLText {
    /// Consumes the HTML, so that its memory can be freed as soon as it was copied.
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

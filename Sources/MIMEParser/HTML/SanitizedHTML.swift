/// HTML of a mail that is safe to show: allow-listed elements, attributes and styles, and nothing that is fetched.
///
/// What is written comes from the tree of the HTML5 parser, never from the sender's bytes. The result is parsed and
/// judged again until it no longer changes, so that what a second parser makes of it is what was judged. It holds no
/// element with a syntax of its own (`style`, `svg`, `noscript`…): in every reading its text is text.
///
/// Images of the message itself keep their `Content-ID` in `data-cid` and have no `src`: the program that shows the
/// message puts their bytes in. Images of `data:` URLs are removed, as the large webmails do.
public struct SanitizedHTML: Sendable {
    /// A fragment for the body of a document.
    public let html: String
    /// Links whose text shows another host than they lead to, or whose host hides what it is.
    public let suspectLinks: [SuspectLink]
    /// What a mail reader would have fetched from the network.
    public let removedRemote: Int
    /// `Content-ID`s of the images that are kept, each once, in order.
    public let contentIDs: [String]
    /// The HTML was too hostile to build a tree of: ``html`` is its text in `pre`.
    public let isTextOnly: Bool

    /// Passes after the first one. Real mail needs one; a document that still changes is not worth trusting.
    private static let passes = 6
    /// What closing the open elements may add to the limit.
    private static let slack = 64 * 1_024

    public init(_ html: String, limit: Int = MIMELimits.standard.text) {
        let limit = min(limit, MIMELimits.standard.text)
        let input = HTMLInput.bytes(of: html, limit: limit)
        let first = HTMLSanitizer.sanitize(input, limit: limit)
        suspectLinks = first?.suspectLinks ?? []
        removedRemote = first?.removedRemote ?? 0
        let settled = first.flatMap { Self.settle($0.output, limit: limit + Self.slack) }
        isTextOnly = settled == nil
        contentIDs = settled == nil ? [] : first?.contentIDs ?? []
        self.html = String(decoding: settled ?? Self.escapedText(of: input, limit: limit), as: UTF8.self)
    }

    /// Judges the output again until it stays as it is; nil when it does not.
    private static func settle(_ output: [UInt8], limit: Int) -> [UInt8]? {
        var output = output
        for _ in 0..<passes {
            guard let again = HTMLSanitizer.sanitize(output, limit: limit)?.output else { return nil }
            if again == output { return output }
            output = again
        }
        return nil
    }

    private static func escapedText(of input: [UInt8], limit: Int) -> [UInt8] {
        var output = Array("<pre>".utf8)
        let text = Array(HTMLTokens.text(of: input, limit: limit).utf8)
        text.withUnsafeBufferPointer { HTMLEscape.append($0, to: &output, isAttribute: false) }
        return output + Array("</pre>".utf8)
    }
}

/// A link that may not lead where its text says.
public struct SuspectLink: Hashable, Sendable {
    /// The visible content.
    public var text: String
    /// Where it leads.
    public var target: String

    public init(text: String, target: String) {
        self.text = text
        self.target = target
    }
}

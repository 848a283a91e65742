/// HTML of a mail that is safe to show: only allowed elements, attributes and styles, and nothing that is fetched.
///
/// The output is written from the tree of the HTML5 parser, never from the sender's bytes. It is parsed and judged
/// again until it no longer changes, so that another parser sees what was judged. It has no element with a syntax of
/// its own (`style`, `svg`, `noscript`…): every parser reads its text as text.
///
/// Images in the message keep their `Content-ID` in `data-cid` and have no `src`: the program that shows the message
/// inserts them. Images of `data:` URLs are removed, as in large webmail programs.
public struct SanitizedHTML: Sendable {
    /// A fragment for the body of a document.
    public let html: String
    /// Links whose text shows a host other than the target's, or whose target disguises its host.
    public let suspectLinks: [SuspectLink]
    /// How many references to remote content were removed.
    public let removedRemote: Int
    /// The `Content-ID`s of the kept images, in order and without duplicates.
    public let contentIDs: [String]
    /// Whether the HTML was too hostile for a tree: ``html`` is its text in `pre`.
    public let isTextOnly: Bool

    /// The most passes after the first one. Real mail needs one; a document that still changes is not safe.
    private static let passes = 6
    /// The most bytes that closing open elements may add to the limit.
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

    /// Judges the output again until it no longer changes; nil: it always changes.
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

/// A link whose text may hide its target.
public struct SuspectLink: Hashable, Sendable {
    /// The visible text.
    public var text: String
    /// The address of the target.
    public var target: String

    public init(text: String, target: String) {
        self.text = text
        self.target = target
    }
}

import MIMEParser

/// HTML as text and as safe HTML.
public struct HTMLInspection: Encodable, Sendable {
    /// A link whose text may hide its target.
    public struct Link: Encodable, Sendable {
        public var text: String
        public var target: String

        init(_ link: SuspectLink) {
            text = link.text
            target = link.target
        }
    }

    public var file: String
    public var size: Int
    /// The visible text.
    public var text: String
    /// A fragment without scripts and remote content.
    public var sanitized: String
    public var suspectLinks: [Link]
    /// The number of removed references to remote content.
    public var removedRemote: Int
    /// Images in the message: `cid:` addresses, kept as `data-cid`.
    public var contentIDs: [String]

    /// Reads the bytes like the body of a mail: the charset comes from a byte order mark, from `meta`, or from a guess.
    public init(_ bytes: [UInt8], file: String) {
        let message = MIMEParser.parse(Array("Content-Type: text/html\r\n\r\n".utf8) + bytes)
        let html = message.html ?? ""
        let safe = SafeHTML(html)
        self.file = file
        size = bytes.count
        text = message.text(of: message.root)
        sanitized = safe.html
        suspectLinks = safe.suspectLinks
        removedRemote = safe.removedRemote
        contentIDs = safe.contentIDs
    }
}

/// Safe HTML, with the findings about it.
public struct SafeHTML: Sendable {
    public let html: String
    public let suspectLinks: [HTMLInspection.Link]
    public let removedRemote: Int
    public let contentIDs: [String]

    init(_ html: String) {
        let safe = SanitizedHTML(html)
        self.html = safe.html
        suspectLinks = safe.suspectLinks.map(HTMLInspection.Link.init)
        removedRemote = safe.removedRemote
        contentIDs = safe.contentIDs
    }
}

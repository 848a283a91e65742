import MIMEParser

/// A page of HTML as a mail reader sees it, and made safe: the document `opus.html/1`.
public struct HTMLInspection: Encodable, Sendable {
    /// A link that may not lead where its text says.
    public struct Link: Encodable, Sendable {
        public var text: String
        public var target: String

        init(_ link: SuspectLink) {
            text = link.text
            target = link.target
        }
    }

    public var schema = "opus.html/1"
    public var file: String
    public var size: Int
    /// The visible text.
    public var text: String
    /// A fragment without anything that runs or is fetched.
    public var sanitized: String
    public var suspectLinks: [Link]
    /// What would have been fetched from the network.
    public var removedRemote: Int
    /// Images of the message itself: `cid:` addresses, kept as `data-cid`.
    public var contentIDs: [String]

    /// The bytes are read as the body of a mail is: charset by byte order mark, `meta`, then by guess.
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

/// HTML that can be shown, and what there is to be said of it.
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

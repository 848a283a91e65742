/// The media type of a part, with its parameters. RFC 2045 §5.
public struct ContentType: Hashable, Sendable, CustomStringConvertible {
    /// Lower case.
    public var type: String
    /// Lower case.
    public var subtype: String
    public var parameters: Parameters

    static let plainText = ContentType(type: "text", subtype: "plain", parameters: Parameters())
    static let message = ContentType(type: "message", subtype: "rfc822", parameters: Parameters())

    public var description: String { type + "/" + subtype }
    public var charset: String? { parameters["charset"] }

    var isMultipart: Bool { type == "multipart" }
    var isMessage: Bool { type == "message" && (subtype == "rfc822" || subtype == "global") }
    /// Text that a person reads in the message: plain or HTML.
    var isReadable: Bool { type == "text" && (subtype == "plain" || subtype == "html") }
    var isPlain: Bool { type == "text" && subtype == "plain" }
    var isHTML: Bool { type == "text" && subtype == "html" }
    /// Text with the commands of ``EnrichedText``.
    var isEnriched: Bool { type == "text" && (subtype == "enriched" || subtype == "richtext") }

    init(type: String, subtype: String, parameters: Parameters) {
        self.type = type
        self.subtype = subtype
        self.parameters = parameters
    }

    /// Words that say that the part is not text, where the subtype is missing.
    private static let files: [StaticString] = [
        "application", "audio", "font", "image", "message", "model", "multipart", "pdf", "video",
    ]

    /// Reads a field body; what names no type is the default for its place.
    init(_ body: ArraySlice<UInt8>, default fallback: ContentType, limits: MIMELimits) {
        let head = MediaType(body)
        parameters = Parameters(body[head.end...], limit: limits.parameters)
        switch head.kind {
        case .missing: (type, subtype) = (fallback.type, fallback.subtype)
        // RFC 2045 §5.2.
        case .unreadable: (type, subtype) = ("text", "plain")
        case .named(let major, let minor):
            (type, subtype) = (major.lowercasedText, minor.lowercasedText)
        case .topLevel(let major):
            // `Content-Type: text` is as old as MIME itself (RFC 1049); a boundary says what `multipart` means.
            if major.isWord("text") {
                (type, subtype) = (fallback.type, fallback.subtype)
            } else if major.isWord("multipart"), !parameters.boundary.isEmpty {
                (type, subtype) = ("multipart", "mixed")
            } else if Self.files.contains(where: { major.isWord($0) }) {
                (type, subtype) = ("application", "octet-stream")
            } else {
                (type, subtype) = ("text", "plain")
            }
        }
    }
}

/// `type/subtype` in front of the parameters, with the blanks, quotes and comments that mail puts there.
private struct MediaType {
    enum Kind {
        case missing
        case unreadable
        case topLevel(ArraySlice<UInt8>)
        case named(ArraySlice<UInt8>, ArraySlice<UInt8>)
    }

    private(set) var kind = Kind.missing
    /// Where the parameters begin.
    private(set) var end: Int

    init(_ body: ArraySlice<UInt8>) {
        var reader = Reader(bytes: body, index: body.startIndex)
        let start = reader.index
        let major = reader.token()
        if major.isEmpty {
            kind = reader.next == 0 || reader.next == ASCII.semicolon ? .missing : .unreadable
        } else if reader.next == ASCII.equals {
            // `charset=utf-8`: the type was left out.
            end = start
            return
        } else if reader.next == ASCII.slash {
            reader.index += 1
            let minor = reader.token()
            kind = minor.isEmpty || major.count + minor.count > 256 ? .unreadable : .named(major, minor)
        } else {
            kind = .topLevel(major)
        }
        end = reader.index
    }

    private struct Reader {
        let bytes: ArraySlice<UInt8>
        var index: Int

        /// The byte after the last token, or 0 at the end.
        var next: UInt8 { index < bytes.endIndex ? bytes[index] : 0 }

        /// A token without the blanks, quotes and comments round it; may be empty.
        mutating func token() -> ArraySlice<UInt8> {
            skip()
            let start = index
            while index < bytes.endIndex, bytes[index].isToken { index += 1 }
            let token = bytes[start..<index]
            skip()
            return token
        }

        private mutating func skip() {
            var comments = CommentReader()
            while index < bytes.endIndex {
                if bytes[index].isBlank || bytes[index] == ASCII.quote {
                    index += 1
                } else if bytes[index] == ASCII.leftParenthesis {
                    index = comments.end(bytes, from: index) ?? index + 1
                } else {
                    return
                }
            }
        }
    }
}

/// How the bytes of a body were made fit for the way. RFC 2045 §6.
public enum TransferEncoding: Hashable, Sendable {
    /// `7bit`, `8bit`, `binary`, or nothing said: the bytes are the body.
    case identity
    case base64
    case quotedPrintable
    /// Unknown; the bytes are shown as they are.
    case unknown

    /// Reads a field body; blanks, `;`, quotes and comments round the word are seen in the field.
    init(_ body: ArraySlice<UInt8>) {
        var comments = CommentReader()
        var start = body.startIndex
        while start < body.endIndex {
            if body[start].isBlank || body[start] == ASCII.quote {
                start += 1
            } else if body[start] == ASCII.leftParenthesis, let end = comments.end(body, from: start) {
                start = end
            } else {
                break
            }
        }
        let word = body[start...].prefix { $0.isToken }
        if word.isWord("base64") || word.isWord("base-64") {
            self = .base64
        } else if word.isWord("quoted-printable") || word.isWord("quotedprintable") {
            self = .quotedPrintable
        } else if word.isEmpty || Self.isIdentity(word) {
            self = .identity
        } else {
            self = .unknown
        }
    }

    /// Words that say that nothing was done; a charset in the wrong field says no more.
    private static func isIdentity(_ word: ArraySlice<UInt8>) -> Bool {
        identityWords.contains { word.isWord($0) } || Charset(label: word) != nil
    }

    private static let identityWords: [StaticString] = [
        "7bit", "8bit", "binary", "7-bit", "8-bit", "7bits", "8bits", "binary8", "none",
    ]
}

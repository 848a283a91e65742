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

    init(type: String, subtype: String, parameters: Parameters) {
        self.type = type
        self.subtype = subtype
        self.parameters = parameters
    }

    /// Reads a field body; what names no type is the default for its place.
    init(_ body: ArraySlice<UInt8>, default fallback: ContentType, limits: MIMELimits) {
        let semicolon = body.firstIndex(of: ASCII.semicolon) ?? body.endIndex
        var head = body[..<semicolon].trimmed
        if let comment = head.firstIndex(of: ASCII.leftParenthesis) { head = head[..<comment].trimmed }
        self = fallback
        parameters = Parameters(body[semicolon...], limit: limits.parameters)
        guard !head.isEmpty else { return }
        guard let slash = head.firstIndex(of: ASCII.slash) else {
            // `Content-Type: text` is as old as MIME itself. RFC 1049.
            if !head.isWord("text") {
                type = "application"
                subtype = "octet-stream"
            }
            return
        }
        let major = head[..<slash].trimmed
        let minor = head[(slash + 1)...].trimmed.prefix(while: \.isToken)
        guard !major.isEmpty, !minor.isEmpty, major.allSatisfy(\.isToken), major.count + minor.count <= 256
        else {
            type = "application"
            subtype = "octet-stream"
            return
        }
        type = major.lowercasedText
        subtype = minor.lowercasedText
    }
}

/// How the bytes of a body were made fit for the way. RFC 2045 §6.
public enum TransferEncoding: Hashable, Sendable {
    /// `7bit`, `8bit`, `binary`, or nothing said: the bytes are the body.
    case identity
    case base64
    case quotedPrintable
    /// Nobody knows it; the bytes are shown as they are.
    case unknown

    /// Reads a field body; blanks, `;` and quotes round the word are seen in the field.
    init(_ body: ArraySlice<UInt8>) {
        let word = body.filter { !$0.isBlank && $0 != ASCII.quote }.prefix {
            $0 != ASCII.semicolon && $0 != 0x28
        }
        let name = Array(word)[...]
        if name.isWord("base64") {
            self = .base64
        } else if name.isWord("quoted-printable") {
            self = .quotedPrintable
        } else if name.isEmpty || name.isWord("7bit") || name.isWord("8bit") || name.isWord("binary") {
            self = .identity
        } else {
            self = .unknown
        }
    }
}

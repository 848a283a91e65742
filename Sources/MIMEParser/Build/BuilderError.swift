/// Why a message was not written: the field, what is wrong with it, and where.
public struct BuilderError: Error, Equatable, Sendable, CustomStringConvertible {
    public enum Code: Equatable, Sendable {
        /// CR, LF or NUL in a header value, or any control character in an address: it could start another field.
        case controlCharacter(UInt8)
        case badFieldName
        /// A field that the builder writes itself.
        case reservedField
        case badAddress
        /// An address outside ASCII, which few servers take (RFC 6531).
        case internationalAddress
        case badMessageID
        case badContentType
    }

    public var code: Code
    public var field: String
    /// Bytes from the start of the value.
    public var offset: Int
    /// What was refused, with everything but printable ASCII escaped.
    public var value: String

    init(_ code: Code, field: String, value: String, offset: Int = 0) {
        self.code = code
        self.field = Self.escaped(field)
        self.offset = offset
        self.value = Self.escaped(value)
    }

    public var description: String {
        switch code {
        case .controlCharacter(let byte):
            "\(field) holds \(Self.name(of: byte)) at byte \(offset): a header field is one line, remove it"
        case .badFieldName: "\"\(field)\" is no name of a header field: use letters, digits and \"-\""
        case .reservedField: "\(field) is written by the message builder: set it there, not as an extra field"
        case .badAddress:
            "\(field) holds \"\(value)\", which is no mail address: write it as name@example.org"
        case .internationalAddress:
            "\(field) holds \"\(value)\", an address outside ASCII that most servers refuse: use its ASCII form"
        case .badMessageID:
            "\(field) holds \"\(value)\", which is no message id: write it as unique@example.org"
        case .badContentType: "\"\(value)\" is no content type: write it as application/pdf"
        }
    }

    private static func name(of byte: UInt8) -> String {
        switch byte {
        case ASCII.cr, ASCII.lf: "a line break"
        case ASCII.nul: "a NUL"
        case _: "a control character"
        }
    }

    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.prefix(200).map { $0.escaped(asASCII: true) }.joined()
    }
}

/// Why a message was not written: the field, the error, and its place.
public struct BuilderError: Error, Equatable, Sendable, CustomStringConvertible {
    public enum Code: Equatable, Sendable {
        /// CR, LF, NUL or another control character. The first three could begin another field.
        case controlCharacter(UInt8)
        case badFieldName
        /// A field that the builder writes itself.
        case reservedField
        case badAddress
        /// An error in an address that a person typed; `offset` counts characters of `value`.
        case mistyped(TypingMistake)
        /// A local part outside ASCII, which few servers take (RFC 6531).
        case internationalAddress
        /// A domain outside ASCII that has no A-label form (RFC 5891).
        case badDomain
        case badMessageID
        case badContentType
        case badContentID
        /// Two inline files with the same `Content-ID`, so the HTML is ambiguous.
        case repeatedContentID
        /// A required value is missing.
        case missing
        case badBase64
        /// A value of a description is invalid here; the reason comes from the reader.
        case badDescription
    }

    public var code: Code
    /// The header field; for a ``ComposeDescription``, the JSON path such as `attachments[2].name`.
    public var field: String
    /// The position of the error in the value, in bytes.
    public var offset: Int
    /// The refused value; everything except printable ASCII is escaped.
    public var value: String

    init(_ code: Code, field: String, value: String = "", offset: Int = 0) {
        self.code = code
        self.field = Self.escaped(field)
        self.offset = offset
        self.value = Self.escaped(value)
    }

    /// `offset`: in bytes of `typed`.
    init(mistyped typed: String, _ mistake: TypingMistake, field: String, offset: Int) {
        self.init(.mistyped(mistake), field: field, value: typed)
        let before = String(decoding: Array(typed.utf8)[..<min(offset, typed.utf8.count)], as: UTF8.self)
        self.offset = Self.escaped(before).count
    }

    /// The mistake in a typed address; nil: another error.
    public var mistake: String? {
        if case .mistyped(let mistake) = code { mistake.words } else { nil }
    }

    /// The value with a caret below the error; empty: not a typing error.
    public var marked: [String] {
        guard case .mistyped = code else { return [] }
        return [value, String(repeating: " ", count: offset) + "^"]
    }

    /// The same error, with the caller's name of the field.
    func at(_ field: String) -> BuilderError {
        var error = self
        error.field = Self.escaped(field)
        return error
    }

    public var description: String {
        switch code {
        case .controlCharacter(let byte):
            "\(field) holds \(Self.name(of: byte)) at byte \(offset): a header field is one line of text, remove it"
        case .badFieldName: "\"\(field)\" is not the name of a header field: use letters, digits and \"-\""
        case .reservedField: "\(field) is a field that opus writes itself: it cannot be an extra field"
        case .badAddress:
            "\(field) holds \"\(value)\", which is not a mail address: write it as name@example.org"
        case .mistyped(let mistake):
            "\(field) holds \"\(value)\", which is not a mail address: \(mistake.words)"
        case .internationalAddress:
            "\(field) holds \"\(value)\", an address with a name outside ASCII that most servers refuse: "
                + "use its ASCII form"
        case .badDomain:
            "\(field) holds \"\(value)\", whose domain is not an internationalised name: write its ASCII form (xn--…)"
        case .badMessageID:
            "\(field) holds \"\(value)\", which is not a message id: write it as unique@example.org"
        case .badContentType:
            "\(field) holds \"\(value)\", which is not a content type: write it as application/pdf"
        case .badContentID:
            "\(field) holds \"\(value)\", which is not a content id: write it as logo@example.org"
        case .repeatedContentID:
            "\(field) holds \"\(value)\" twice: give each inline file a content id of its own"
        case .missing: "\(field) is missing: \(value)"
        case .badBase64: "\(field) is not base64 from byte \(offset) on: encode it again, or use \"text\""
        case .badDescription: field.isEmpty ? value : "\(field): \(value)"
        }
    }

    private static func name(of byte: UInt8) -> String {
        switch byte {
        case ASCII.cr: #"a line break (\r)"#
        case ASCII.lf: #"a line break (\n)"#
        case ASCII.nul: #"a NUL (\0)"#
        case _:
            #"a control character (\x"# + String(byte >> 4, radix: 16, uppercase: true)
                + String(byte & 0x0F, radix: 16, uppercase: true) + ")"
        }
    }

    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.prefix(200).map { $0 == "\"" ? "\"" : $0.escaped(asASCII: true) }.joined()
    }
}

/// Header fields with 8-bit bytes that no encoded word labels: they have the charset of the body, because the same
/// program wrote both.
///
/// RFC 5322 forbids such bytes, and RFC 6532 allows them only in UTF-8. Mail from before MIME, and from careless
/// programs, has them anyway.
struct UnlabelledHeaders {
    private let fields: [RawField]
    private let bytes: [UInt8]
    private let limits: MIMELimits

    /// `fields`: all fields of the header block.
    init(_ fields: [RawField], in bytes: [UInt8], limits: MIMELimits) {
        self.fields = fields
        self.bytes = bytes
        self.limits = limits
    }

    /// The body of a field, in UTF-8 if the charset is known; otherwise the original bytes.
    func body(of field: RawField) -> ArraySlice<UInt8> {
        guard UTF8Check.firstInvalid(bytes, in: field.body) != nil, let charset else {
            return bytes[field.body]
        }
        return Array(charset.decode(bytes[field.body]).utf8)[...]
    }

    /// nil: the body has no label, or these bytes cannot be text in its charset.
    private var charset: Charset? {
        guard let field = fields.first(where: { bytes[$0.name].isWord("content-type") }) else { return nil }
        let type = ContentType(bytes[field.body], default: .plainText, limits: limits)
        guard type.type == "text", let charset = type.charset.flatMap({ Charset(label: $0) }),
            case .iconv(_, unit: 1) = charset.kind
        else { return nil }
        return charset
    }
}

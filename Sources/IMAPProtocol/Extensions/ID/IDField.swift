/// One field of an ID response. Text from a stranger. RFC 2971 §3.2.
public struct IDField: Equatable, Sendable {
    public var name: String
    public var value: String?

    public init(name: String, value: String?) {
        self.name = name
        self.value = value
    }
}

extension Cursor {
    /// `("name" "Dovecot")`, or NIL. RFC 2971 §4 (`id-params-list`).
    mutating func idFields() throws(ParseFailure) -> [IDField] {
        if skipNil() { return [] }
        try expect(.openParenthesis)
        var fields: [IDField] = []
        while true {
            skipSpaces()
            if take(.closeParenthesis) { return fields }
            try countItem()
            guard let name = try string() else { throw failure(.expected("field name")) }
            skipSpaces()
            let value = skipNil() || peek == .closeParenthesis ? nil : try astring("field value")
            fields.append(IDField(name: serverText(name), value: value.map { serverText($0) }))
        }
    }
}

extension CommandWriter {
    /// Never empty: some servers take `ID ()` and `ID NIL` for an error.
    mutating func write(_ fields: [IDField]) throws(EncodingError) {
        words("(")
        for (index, field) in fields.enumerated() {
            try quoted(field.name, first: index == 0)
            try quoted(field.value ?? "", first: false)
        }
        close(")")
    }
}

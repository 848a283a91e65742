/// One field of ID, the names that client and server tell each other. Text from a stranger. RFC 2971 §3.
///
///     id             = "ID" SP id-params-list
///     id-params-list = "(" *(string SP nstring) ")" / nil
public struct IDField: Equatable, Sendable {
    public var name: String
    public var value: String?

    public init(name: String, value: String?) {
        self.name = name
        self.value = value
    }
}

extension IDField {
    /// `("name" "Dovecot")`, or NIL. RFC 2971 §4 (`id-params-list`).
    static func read(_ cursor: inout Cursor) throws(ParseFailure) -> [IDField] {
        if cursor.skipNil() { return [] }
        try cursor.expect(.openParenthesis)
        var fields: [IDField] = []
        while true {
            cursor.skipSpaces()
            if cursor.take(.closeParenthesis) { return fields }
            try cursor.countItem()
            guard let name = try cursor.string() else { throw cursor.failure(.expected("field name")) }
            cursor.skipSpaces()
            let value =
                cursor.skipNil() || cursor.peek == .closeParenthesis ? nil : try cursor.astring("field value")
            fields.append(IDField(name: serverText(name), value: value.map { serverText($0) }))
        }
    }
}

extension CommandWriter {
    /// Never empty: some servers treat `ID ()` and `ID NIL` as an error.
    mutating func write(_ fields: [IDField]) throws(EncodingError) {
        words("(")
        for (index, field) in fields.enumerated() {
            try quoted(field.name, first: index == 0)
            try quoted(field.value ?? "", first: false)
        }
        close(")")
    }
}

import NIOCore

/// FETCH: the one response that carries messages, and the one that servers get wrong most often.
/// RFC 3501 §7.4.2.
extension Cursor {
    /// The items of one message. Parentheses that do not belong there are read over (Domino).
    mutating func fetchResponse(_ sequenceNumber: UInt32) throws(ParseFailure) -> FetchResponse {
        var response = FetchResponse(sequenceNumber: sequenceNumber)
        try expect(.openParenthesis)
        var depth = 1
        while true {
            skipSpaces()
            switch peek {
            case nil:
                guard depth == 0 else { throw failure(.unbalancedParentheses) }
                return response
            case .openParenthesis:
                note(.extraParentheses)
                index += 1
                depth += 1
                guard depth <= limits.nesting else {
                    throw failure(.nesting(actual: depth, maximum: limits.nesting))
                }
            case .closeParenthesis:
                index += 1
                if depth == 0 { note(.extraParentheses) } else { depth -= 1 }
            default:
                try countItem()
                try fetchItem(into: &response)
            }
        }
    }

    private mutating func fetchItem(into response: inout FetchResponse) throws(ParseFailure) {
        let name = word()
        guard !name.isEmpty else { throw failure(.expected("fetch item")) }
        if peek == .openBracket { return try bodySection(of: name, into: &response) }
        skipSpaces()
        if peek == nil || peek == .closeParenthesis {
            note(.itemWithoutValue)
            return
        }
        switch name {
        case "UID": response.uid = try fetchedUID() ?? response.uid
        case "FLAGS": response.flags = try fetchedFlags() ?? response.flags
        case "INTERNALDATE": response.internalDate = try fetchedDate() ?? response.internalDate
        case "RFC822.SIZE": response.size = try fetchedCount() ?? response.size
        case "MODSEQ": response.modSeq = try fetchedModSeq() ?? response.modSeq
        default: try skipValue()
        }
    }

    /// Whether another item's name stands where a value is due (Yandex).
    private mutating func valueIsMissing() -> Bool {
        guard let byte = peek, byte.isLetter, !isAtLiteral else { return false }
        note(.itemWithoutValue)
        return true
    }

    private mutating func fetchedUID() throws(ParseFailure) -> UInt32? {
        if valueIsMissing() { return nil }
        let uid = try number()
        if uid == 0 { note(.uidZero) }
        return uid == 0 ? nil : uid
    }

    private mutating func fetchedFlags() throws(ParseFailure) -> [String]? {
        if takeNil() { return [] }
        if valueIsMissing() { return nil }
        return try flagList()
    }

    private mutating func fetchedDate() throws(ParseFailure) -> Int64? {
        if takeNil() || valueIsMissing() { return nil }
        guard let text = try string() else { throw failure(.expected("date")) }
        let date = InternalDate.parse(text)
        if date == nil { note(.invalidInternalDate) }
        return date
    }

    private mutating func fetchedCount() throws(ParseFailure) -> UInt64? {
        if takeNil() || valueIsMissing() { return nil }
        if take(.minus) {
            note(.negativeNumber)
            _ = try number64()
            return nil
        }
        return try number64()
    }

    private mutating func fetchedModSeq() throws(ParseFailure) -> UInt64? {
        if takeNil() || valueIsMissing() { return nil }
        let hasParenthesis = take(.openParenthesis)
        skipSpaces()
        let isNegative = take(.minus)
        let value = try number64()
        skipSpaces()
        if hasParenthesis { try expect(.closeParenthesis) }
        guard value > 0, !isNegative else {
            note(.invalidModSeq)
            return nil
        }
        return value
    }

    /// `[HEADER]<0>` and its value. Other items with brackets, `BINARY[1]`, are stepped over.
    private mutating func bodySection(
        of item: String, into response: inout FetchResponse
    ) throws(ParseFailure) {
        let name = try sectionName()
        var origin: UInt32?
        if take(UInt8(ascii: "<")) {
            origin = try number()
            try expect(UInt8(ascii: ">"))
        }
        skipSpaces()
        guard peek != nil, peek != .closeParenthesis else { return note(.itemWithoutValue) }
        guard item == "BODY" else { return try skipValue() }
        if let content = try sectionContent() {
            response.sections.append(BodySection(name: name, origin: origin, content: content))
        }
    }

    /// What stands between the brackets; header lists in it may quote anything but are short.
    private mutating func sectionName() throws(ParseFailure) -> String {
        try expect(.openBracket)
        let start = index
        while let byte = peek, byte != .closeBracket {
            if byte == .quote {
                _ = try quoted()
            } else if literal() == nil {
                index += 1
            }
        }
        let name = text[start..<index]
        try expect(.closeBracket)
        return serverText(name.map(\.uppercased), maximum: 1_000)
    }

    private mutating func sectionContent() throws(ParseFailure) -> BodySection.Content? {
        if let content = literal() {
            switch content {
            case .bytes(let buffer): return .bytes(buffer)
            case .omitted(let size): return .omitted(size: size)
            }
        }
        if peek == .quote { return .bytes(ByteBuffer(bytes: try quoted())) }
        if takeNil() { return .missing }
        if valueIsMissing() { return nil }
        throw failure(.expected("section data"))
    }
}

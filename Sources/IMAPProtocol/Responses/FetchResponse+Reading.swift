import NIOCore

/// FETCH carries messages, and many servers send it in wrong forms. RFC 3501 §7.4.2.
extension FetchResponse {
    /// The items of one message. Extra parentheses (Domino) are skipped.
    static func read(_ cursor: inout Cursor, _ sequenceNumber: UInt32) throws(ParseFailure) -> FetchResponse {
        var response = FetchResponse(sequenceNumber: sequenceNumber)
        try cursor.expect(.openParenthesis)
        var depth = 1
        while true {
            let spaces = cursor.skipSpaces()
            switch cursor.peek {
            case nil:
                guard depth == 0 else { throw cursor.failure(.unbalancedParentheses) }
                return response
            case .openParenthesis:
                cursor.note(.extraParentheses)
                cursor.index += 1
                depth += 1
                guard depth <= cursor.limits.nesting else {
                    throw cursor.failure(.nesting(actual: depth, maximum: cursor.limits.nesting))
                }
            case .closeParenthesis:
                cursor.index += 1
                if spaces > 0 { cursor.note(.extraSpace) }
                if depth == 0 { cursor.note(.extraParentheses) } else { depth -= 1 }
            default:
                try cursor.countItem()
                try fetchItem(&cursor, into: &response)
            }
        }
    }

    private static func fetchItem(_ cursor: inout Cursor, into response: inout FetchResponse)
        throws(ParseFailure)
    {
        let name = cursor.word()
        guard !name.isEmpty else { throw cursor.failure(.expected("fetch item")) }
        if cursor.peek == .openBracket { return try bodySection(&cursor, of: name, into: &response) }
        cursor.skipSpaces()
        if cursor.peek == nil || cursor.peek == .closeParenthesis {
            cursor.note(.itemWithoutValue)
            return
        }
        switch name {
        case "UID": try readUID(&cursor, into: &response)
        case "FLAGS": response.flags = try fetchedFlags(&cursor) ?? response.flags
        case "INTERNALDATE": response.internalDate = try fetchedDate(&cursor) ?? response.internalDate
        case "RFC822.SIZE": response.size = try fetchedCount(&cursor) ?? response.size
        case "MODSEQ": response.modSeq = try cursor.fetchedModSeq() ?? response.modSeq
        case "ENVELOPE": try readEnvelope(&cursor, into: &response)
        case "BODYSTRUCTURE", "BODY": try readStructure(&cursor, name, into: &response)
        case "RFC822", "RFC822.HEADER", "RFC822.TEXT": try readLegacyBody(&cursor, name, into: &response)
        case "EMAILID": response.emailID = cursor.skipNil() ? nil : try cursor.objectID()
        case "THREADID": response.threadID = cursor.skipNil() ? nil : try cursor.objectID()
        case "X-GM-MSGID": response.gmailMessageID = try fetchedCount(&cursor) ?? response.gmailMessageID
        case "X-GM-THRID": response.gmailThreadID = try fetchedCount(&cursor) ?? response.gmailThreadID
        case "X-GM-LABELS": response.gmailLabels = try cursor.fetchedLabels()
        default: try cursor.skipValue()
        }
    }

    /// The first UID counts; another one in the same response is ignored. Domino and others send it twice.
    private static func readUID(_ cursor: inout Cursor, into response: inout FetchResponse)
        throws(ParseFailure)
    {
        guard let uid = try fetchedUID(&cursor) else { return }
        if let known = response.uid, known != uid { return cursor.note(.conflictingUID) }
        response.uid = uid
        cursor.uid = uid
    }

    private static func readEnvelope(_ cursor: inout Cursor, into response: inout FetchResponse)
        throws(ParseFailure)
    {
        let tree = try cursor.valueTree()
        var reader = StructureReader(tree, limits: cursor.limits)
        let envelope = tree.hasStrayQuote ? nil : reader.envelope(at: 0)
        for quirk in reader.quirks { cursor.note(quirk) }
        if tree.hasStrayQuote { cursor.note(.strayQuote) }
        response.envelope = envelope ?? response.envelope
        if envelope == nil { response.unreadable.append(UnreadableItem(name: "ENVELOPE")) }
    }

    private static func readStructure(
        _ cursor: inout Cursor, _ name: String, into response: inout FetchResponse
    ) throws(ParseFailure) {
        if name == "BODY", cursor.isAtLiteral || cursor.peek == .quote {
            return try readLegacyBody(&cursor, name, into: &response)
        }
        let tree = try cursor.valueTree()
        var reader = StructureReader(tree, limits: cursor.limits)
        var item = UnreadableItem(name: name)
        var structure: BodyStructure?
        if !tree.hasStrayQuote {
            do { structure = try reader.bodyStructure(at: 0) } catch { item.reason = error.unparsable.reason }
        }
        for quirk in reader.quirks { cursor.note(quirk) }
        if tree.hasStrayQuote { cursor.note(.strayQuote) }
        response.bodyStructure = structure ?? response.bodyStructure
        if structure == nil { response.unreadable.append(item) }
    }

    /// `RFC822.HEADER {12}` in answer to `BODY.PEEK[HEADER]`, or `BODY {12}` with its brackets lost.
    private static func readLegacyBody(
        _ cursor: inout Cursor, _ name: String, into response: inout FetchResponse
    ) throws(ParseFailure) {
        cursor.note(.legacyBodyItem)
        let section =
            switch name {
            case "RFC822.HEADER": "HEADER"
            case "RFC822.TEXT": "TEXT"
            default: ""
            }
        if let content = try sectionContent(&cursor) {
            response.sections.append(BodySection(name: section, content: content))
        }
    }

    private static func fetchedUID(_ cursor: inout Cursor) throws(ParseFailure) -> UInt32? {
        if cursor.valueIsMissing() { return nil }
        let uid = try cursor.number()
        if uid == 0 { cursor.note(.uidZero) }
        return uid == 0 ? nil : uid
    }

    private static func fetchedFlags(_ cursor: inout Cursor) throws(ParseFailure) -> [String]? {
        let isNil = cursor.peek == UInt8(ascii: "N") || cursor.peek == UInt8(ascii: "n")
        if !isNil, cursor.valueIsMissing() { return nil }
        return try cursor.flagList()
    }

    private static func fetchedDate(_ cursor: inout Cursor) throws(ParseFailure) -> Int64? {
        if cursor.skipNil() || cursor.valueIsMissing() { return nil }
        guard let text = try cursor.string() else { throw cursor.failure(.expected("date")) }
        if let date = InternalDate.parse(text) { return date }
        let date = InternalDate.parseMailDate(text)
        cursor.note(date == nil ? .invalidInternalDate : .mailDate)
        return date
    }

    private static func fetchedCount(_ cursor: inout Cursor) throws(ParseFailure) -> UInt64? {
        if cursor.skipNil() || cursor.valueIsMissing() { return nil }
        if cursor.take(.minus) {
            cursor.note(.negativeNumber)
            _ = try cursor.number64()
            return nil
        }
        return try cursor.number64()
    }

    /// `[HEADER]<0>` and its value; `<0.1048576>`, as it was requested, is a quirk (Twisted). Other items with
    /// brackets, `BINARY[1]`, are skipped.
    private static func bodySection(
        _ cursor: inout Cursor, of item: String, into response: inout FetchResponse
    ) throws(ParseFailure) {
        let name = try sectionName(&cursor)
        var origin: UInt32?
        if cursor.take(UInt8(ascii: "<")) {
            origin = try cursor.number()
            if cursor.take(UInt8(ascii: ".")) {
                cursor.note(.echoedPartial)
                _ = try cursor.number64()
            }
            try cursor.expect(UInt8(ascii: ">"))
        }
        cursor.skipSpaces()
        guard cursor.peek != nil, cursor.peek != .closeParenthesis else {
            return cursor.note(.itemWithoutValue)
        }
        guard item == "BODY" || item == "BODY.PEEK" else { return try cursor.skipValue() }
        if item == "BODY.PEEK" { cursor.note(.legacyBodyItem) }
        if let content = try sectionContent(&cursor) {
            response.sections.append(BodySection(name: name, origin: origin, content: content))
        }
    }

    /// What is between the brackets; header lists in it may quote anything but are short.
    private static func sectionName(_ cursor: inout Cursor) throws(ParseFailure) -> String {
        try cursor.expect(.openBracket)
        let start = cursor.index
        while let byte = cursor.peek, byte != .closeBracket {
            if byte == .quote {
                _ = try cursor.quoted()
            } else if cursor.literal() == nil {
                cursor.index += 1
            }
        }
        let name = cursor.text[start..<cursor.index]
        try cursor.expect(.closeBracket)
        guard name.count > 1_000 else { return name.uppercasedWord }
        return serverText(name.map(\.uppercased), maximum: 1_000)
    }

    private static func sectionContent(_ cursor: inout Cursor) throws(ParseFailure) -> BodySection.Content? {
        if let content = cursor.literal() {
            switch content {
            case .bytes(let buffer): return .bytes(buffer)
            case .omitted(let size): return .omitted(size: size)
            }
        }
        if cursor.peek == .quote { return .bytes(ByteBuffer(bytes: try cursor.quoted())) }
        if cursor.skipNil() { return .missing }
        if cursor.valueIsMissing() { return nil }
        throw cursor.failure(.expected("section data"))
    }
}

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
            let spaces = skipSpaces()
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
                if spaces > 0 { note(.extraSpace) }
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
        case "UID": try readUID(into: &response)
        case "FLAGS": response.flags = try fetchedFlags() ?? response.flags
        case "INTERNALDATE": response.internalDate = try fetchedDate() ?? response.internalDate
        case "RFC822.SIZE": response.size = try fetchedCount() ?? response.size
        case "MODSEQ": response.modSeq = try fetchedModSeq() ?? response.modSeq
        case "ENVELOPE": try readEnvelope(into: &response)
        case "BODYSTRUCTURE", "BODY": try readStructure(name, into: &response)
        case "RFC822", "RFC822.HEADER", "RFC822.TEXT": try readLegacyBody(name, into: &response)
        case "EMAILID": response.emailID = skipNil() ? nil : try objectID()
        case "THREADID": response.threadID = skipNil() ? nil : try objectID()
        case "X-GM-MSGID": response.gmailMessageID = try fetchedCount() ?? response.gmailMessageID
        case "X-GM-THRID": response.gmailThreadID = try fetchedCount() ?? response.gmailThreadID
        case "X-GM-LABELS": response.gmailLabels = try fetchedLabels()
        default: try skipValue()
        }
    }

    /// The first UID stands; another one in the same response is ignored. Domino and others send it twice.
    private mutating func readUID(into response: inout FetchResponse) throws(ParseFailure) {
        guard let uid = try fetchedUID() else { return }
        if let known = response.uid, known != uid { return note(.conflictingUID) }
        response.uid = uid
        self.uid = uid
    }

    private mutating func readEnvelope(into response: inout FetchResponse) throws(ParseFailure) {
        let tree = try valueTree()
        var reader = StructureReader(tree, limits: limits)
        let envelope = tree.hasStrayQuote ? nil : reader.envelope(at: 0)
        for quirk in reader.quirks { note(quirk) }
        if tree.hasStrayQuote { note(.strayQuote) }
        response.envelope = envelope ?? response.envelope
        if envelope == nil { response.unreadable.append(UnreadableItem(name: "ENVELOPE")) }
    }

    private mutating func readStructure(
        _ name: String, into response: inout FetchResponse
    ) throws(ParseFailure) {
        if name == "BODY", isAtLiteral || peek == .quote { return try readLegacyBody(name, into: &response) }
        let tree = try valueTree()
        var reader = StructureReader(tree, limits: limits)
        var item = UnreadableItem(name: name)
        var structure: BodyStructure?
        if !tree.hasStrayQuote {
            do { structure = try reader.bodyStructure(at: 0) } catch { item.reason = error.unparsable.reason }
        }
        for quirk in reader.quirks { note(quirk) }
        if tree.hasStrayQuote { note(.strayQuote) }
        response.bodyStructure = structure ?? response.bodyStructure
        if structure == nil { response.unreadable.append(item) }
    }

    /// `RFC822.HEADER {12}` in answer to `BODY.PEEK[HEADER]`, or `BODY {12}` with its brackets lost.
    private mutating func readLegacyBody(
        _ name: String, into response: inout FetchResponse
    ) throws(ParseFailure) {
        note(.legacyBodyItem)
        let section =
            switch name {
            case "RFC822.HEADER": "HEADER"
            case "RFC822.TEXT": "TEXT"
            default: ""
            }
        if let content = try sectionContent() {
            response.sections.append(BodySection(name: section, content: content))
        }
    }

    private mutating func fetchedUID() throws(ParseFailure) -> UInt32? {
        if valueIsMissing() { return nil }
        let uid = try number()
        if uid == 0 { note(.uidZero) }
        return uid == 0 ? nil : uid
    }

    private mutating func fetchedFlags() throws(ParseFailure) -> [String]? {
        let isNil = peek == UInt8(ascii: "N") || peek == UInt8(ascii: "n")
        if !isNil, valueIsMissing() { return nil }
        return try flagList()
    }

    private mutating func fetchedDate() throws(ParseFailure) -> Int64? {
        if skipNil() || valueIsMissing() { return nil }
        guard let text = try string() else { throw failure(.expected("date")) }
        if let date = InternalDate.parse(text) { return date }
        let date = InternalDate.parseMailDate(text)
        note(date == nil ? .invalidInternalDate : .mailDate)
        return date
    }

    private mutating func fetchedCount() throws(ParseFailure) -> UInt64? {
        if skipNil() || valueIsMissing() { return nil }
        if take(.minus) {
            note(.negativeNumber)
            _ = try number64()
            return nil
        }
        return try number64()
    }

    /// `[HEADER]<0>` and its value; `<0.1048576>`, as it was asked for, is a quirk (Twisted). Other items with brackets, `BINARY[1]`, are stepped over.
    private mutating func bodySection(
        of item: String, into response: inout FetchResponse
    ) throws(ParseFailure) {
        let name = try sectionName()
        var origin: UInt32?
        if take(UInt8(ascii: "<")) {
            origin = try number()
            if take(UInt8(ascii: ".")) {
                note(.echoedPartial)
                _ = try number64()
            }
            try expect(UInt8(ascii: ">"))
        }
        skipSpaces()
        guard peek != nil, peek != .closeParenthesis else { return note(.itemWithoutValue) }
        guard item == "BODY" || item == "BODY.PEEK" else { return try skipValue() }
        if item == "BODY.PEEK" { note(.legacyBodyItem) }
        if let content = try sectionContent() {
            response.sections.append(BodySection(name: name, origin: origin, content: content))
        }
    }

    /// What is between the brackets; header lists in it may quote anything but are short.
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
        guard name.count > 1_000 else { return name.uppercasedWord }
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
        if skipNil() { return .missing }
        if valueIsMissing() { return nil }
        throw failure(.expected("section data"))
    }
}

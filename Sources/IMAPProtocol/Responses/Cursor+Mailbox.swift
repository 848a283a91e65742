/// LIST, STATUS, SEARCH, ESEARCH, VANISHED, ID and NAMESPACE. RFC 3501 §7.2, RFC 4731, RFC 7162.
extension Cursor {
    // MARK: LIST

    mutating func listResponse() throws(ParseFailure) -> ListResponse {
        let attributes = try flagList()
        skipSpaces()
        let delimiter = try delimiter()
        skipSpaces()
        var response = ListResponse(attributes: attributes, delimiter: delimiter, name: try listedName())
        if skipSpaces() > 0, peek == .openParenthesis { try listExtension(into: &response) }
        return response
    }

    /// `("CHILDINFO" ("SUBSCRIBED") "OLDNAME" ("old"))`. RFC 5258 §6, RFC 9051 §7.3.1.
    private mutating func listExtension(into response: inout ListResponse) throws(ParseFailure) {
        let tree = try valueTree()
        var items = tree.children(of: 0)[...]
        while let tag = items.popFirst(), let value = items.popFirst() {
            let values = tree.children(of: value).filter { tree.nodes[$0].kind != .list }
            switch tree.bytes(tag).uppercasedWord {
            case "CHILDINFO": response.childInfo = values.map { tree.bytes($0).uppercasedWord }
            case "OLDNAME": response.oldName = values.first.map { Array(tree.bytes($0)) }
            default: break
            }
        }
    }

    private mutating func delimiter() throws(ParseFailure) -> UInt8? {
        if takeNil() { return nil }
        if text[index...].starts(with: [.quote, .backslash, .quote, .space]) {
            note(.unescapedDelimiter)
            index += 3
            return .backslash
        }
        guard let bytes = try string() else { throw failure(.expected("delimiter")) }
        if bytes.isEmpty { note(.emptyDelimiter) }
        return bytes.first
    }

    /// A name in quotes or as a literal; without them it goes on to the line's end, or to extended data.
    private mutating func listedName() throws(ParseFailure) -> [UInt8] {
        if peek == .quote { return try quotedName() }
        if let name = try string() { return name }
        let start = index
        _ = takeWhile { $0 != .space }
        let name = text[start..<index]
        guard !name.isEmpty else { throw failure(.expected("mailbox name")) }
        let following = rest.drop { $0 == .space }
        if following.isEmpty {
            if !isAtEnd { note(.trailingSpace) }
            if name.contains(.tab) { note(.unquotedMailbox) }
            return Array(name)
        }
        if following.first == .openParenthesis { return Array(name) }
        note(.unquotedMailbox)
        return Self.trimmed(text[start...])
    }

    /// A name in quotes. Where quotes stand in it that the server did not escape, it goes on to the last quote of the line
    /// (GreenMail).
    private mutating func quotedName() throws(ParseFailure) -> [UInt8] {
        let start = index
        let name = try? quoted()
        let following = rest.drop { $0 == .space }
        if let name, following.isEmpty || (peek == .space && following.first == .openParenthesis) {
            return name
        }
        guard let end = text.lastIndex(of: .quote), end > start,
            text[(end + 1)...].allSatisfy({ $0 == .space })
        else { throw failure(.expected("closing quote")) }
        note(.unescapedQuote)
        index = text.count
        return Array(text[(start + 1)..<end])
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var bytes = bytes
        while bytes.last == .space { bytes = bytes.dropLast() }
        return Array(bytes)
    }

    // MARK: STATUS

    mutating func mailboxStatus() throws(ParseFailure) -> MailboxStatus {
        var status = MailboxStatus(name: try statusName())
        skipSpaces()
        guard take(.openParenthesis) else {
            guard isAtEnd else { throw failure(.expected("(")) }
            note(.statusWithoutItems)
            return status
        }
        var count = 0
        while true {
            skipSpaces()
            if take(.closeParenthesis) { break }
            try countItem()
            count += 1
            try statusItem(into: &status)
        }
        if count == 0 { note(.statusWithoutItems) }
        if !isAtEnd { note(.trailingSpace) }
        return status
    }

    private mutating func statusName() throws(ParseFailure) -> [UInt8] {
        if let name = try string() { return name }
        let start = index
        let name = takeWhile { $0 != .space && $0 != .openParenthesis }
        let following = rest.drop { $0 == .space }
        if following.isEmpty || following.first == .openParenthesis {
            guard !name.isEmpty else { throw failure(.expected("mailbox name")) }
            return Array(name)
        }
        guard let open = text.lastIndex(of: .openParenthesis), open > start else {
            throw failure(.expected("("))
        }
        note(.unquotedMailbox)
        index = open
        return Self.trimmed(text[start..<open])
    }

    private mutating func statusItem(into status: inout MailboxStatus) throws(ParseFailure) {
        let name = word()
        guard !name.isEmpty else { throw failure(.expected("status item")) }
        skipSpaces()
        if take(.minus) {
            note(.negativeNumber)
            _ = try number64()
            return
        }
        switch name {
        case "MESSAGES": status.messages = try number()
        case "RECENT": status.recent = try number()
        case "DELETED": status.deleted = try number()
        case "UIDNEXT": status.uidNext = try number()
        case "UIDVALIDITY": status.uidValidity = try number()
        case "UNSEEN": status.unseen = try number()
        case "SIZE": status.size = try number64()
        case "APPENDLIMIT": status.appendLimit = takeNil() ? nil : try number64()
        case "MAILBOXID": status.mailboxID = try objectID()
        case "HIGHESTMODSEQ":
            let value = try number64()
            if value == 0 { note(.invalidModSeq) }
            status.highestModSeq = value == 0 ? nil : value
        default: try skipValue()
        }
    }

    // MARK: SEARCH

    mutating func search() throws(ParseFailure) -> Response {
        var numbers: [UInt32] = []
        var modSeq: UInt64?
        while true {
            skipSpaces()
            guard let byte = peek else { break }
            if byte == .openParenthesis {
                modSeq = try searchModSeq()
                continue
            }
            guard numbers.count < limits.numbers else {
                throw failure(.tooManyItems(actual: numbers.count + 1, maximum: limits.numbers))
            }
            let number = try number()
            if number == 0 { note(.uidZero) } else { numbers.append(number) }
        }
        return .search(numbers, highestModSeq: modSeq)
    }

    /// `(MODSEQ 917162500)`. RFC 7162 §3.1.5.
    private mutating func searchModSeq() throws(ParseFailure) -> UInt64 {
        try expect(.openParenthesis)
        guard word() == "MODSEQ" else { throw failure(.expected("MODSEQ")) }
        skipSpaces()
        let value = try number64()
        try expect(.closeParenthesis)
        return value
    }

    mutating func esearch() throws(ParseFailure) -> ESearchResponse {
        var response = ESearchResponse()
        if take(.openParenthesis) {
            guard word() == "TAG" else { throw failure(.expected("TAG")) }
            skipSpaces()
            // RFC 4466 wants a string; RFC 9051 lets it be an astring, and some servers write an atom.
            response.tag = CommandTag(rawValue: serverText(try astring("tag"), maximum: 64))
            skipSpaces()
            try expect(.closeParenthesis)
        }
        while true {
            skipSpaces()
            if isAtEnd { return response }
            if peek == .openParenthesis {
                note(.parenthesisedModSeq)
                response.highestModSeq = try searchModSeq()
                continue
            }
            let name = word()
            guard !name.isEmpty else { throw failure(.expected("search result")) }
            skipSpaces()
            try esearchItem(name, into: &response)
        }
    }

    private mutating func esearchItem(
        _ name: String, into response: inout ESearchResponse
    ) throws(ParseFailure) {
        switch name {
        case "UID": response.isUID = true
        case "ALL": response.all = UIDSet(ranges: try uidRanges())
        case "COUNT": response.count = try number()
        case "MIN": response.min = try number()
        case "MAX": response.max = try number()
        case "MODSEQ": response.highestModSeq = try number64()
        case "PARTIAL": response.partial = try partialResult()
        default: try skipValue()
        }
    }

    /// `(1:500 3,7:9)`, or NIL for a window without a hit. RFC 9394 §3.1.
    private mutating func partialResult() throws(ParseFailure) -> UIDSet {
        try expect(.openParenthesis)
        _ = takeWhile { $0 != .space && $0 != .closeParenthesis }
        skipSpaces()
        let set = takeNil() ? UIDSet() : UIDSet(ranges: try uidRanges())
        try expect(.closeParenthesis)
        return set
    }

    // MARK: VANISHED

    mutating func vanished() throws(ParseFailure) -> Response {
        var earlier = false
        if take(.openParenthesis) {
            guard word() == "EARLIER" else { throw failure(.expected("EARLIER")) }
            try expect(.closeParenthesis)
            earlier = true
            skipSpaces()
        }
        return .vanished(UIDSet(ranges: try uidRanges()), earlier: earlier)
    }

    // MARK: ID and NAMESPACE

    mutating func idFields() throws(ParseFailure) -> [IDField] {
        if takeNil() { return [] }
        try expect(.openParenthesis)
        var fields: [IDField] = []
        while true {
            skipSpaces()
            if take(.closeParenthesis) { return fields }
            try countItem()
            guard let name = try string() else { throw failure(.expected("field name")) }
            skipSpaces()
            let value = takeNil() || peek == .closeParenthesis ? nil : try astring("field value")
            fields.append(IDField(name: serverText(name), value: value.map { serverText($0) }))
        }
    }

    mutating func namespace() throws(ParseFailure) -> NamespaceResponse {
        let personal = try namespaceEntries()
        skipSpaces()
        let otherUsers = try namespaceEntries()
        skipSpaces()
        return NamespaceResponse(
            personal: personal, otherUsers: otherUsers, shared: try namespaceEntries())
    }

    private mutating func namespaceEntries() throws(ParseFailure) -> [NamespaceResponse.Entry] {
        if takeNil() { return [] }
        try expect(.openParenthesis)
        var entries: [NamespaceResponse.Entry] = []
        while true {
            skipSpaces()
            if take(.closeParenthesis) { return entries }
            try countItem()
            try expect(.openParenthesis)
            guard let prefix = try string() else { throw failure(.expected("prefix")) }
            skipSpaces()
            entries.append(.init(prefix: prefix, delimiter: try delimiter()))
            // Extensions: a name and a list of values each.
            while skipSpaces() > 0, peek != .closeParenthesis { try skipValue() }
            try expect(.closeParenthesis)
        }
    }
}

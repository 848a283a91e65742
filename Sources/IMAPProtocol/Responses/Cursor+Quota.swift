/// QUOTA and QUOTAROOT. RFC 9208 §5, RFC 2087 §5.
extension Cursor {
    mutating func quota() throws(ParseFailure) -> OtherResponse {
        let root = try astring("quota root")
        var resources: [QuotaResponse.Resource] = []
        skipSpaces()
        if isAtEnd { return .quota(QuotaResponse(root: root, resources: [])) }
        try expect(.openParenthesis)
        while true {
            skipSpaces()
            if take(.closeParenthesis) { return .quota(QuotaResponse(root: root, resources: resources)) }
            try countItem()
            let name = word()
            guard !name.isEmpty else { throw failure(.expected("resource")) }
            skipSpaces()
            let usage = try quotaNumber()
            skipSpaces()
            let limit = try quotaNumber()
            guard let usage, let limit else { continue }
            resources.append(.init(name: serverText(name.utf8, maximum: 64), usage: usage, limit: limit))
        }
    }

    /// Nil where a server counts below zero.
    private mutating func quotaNumber() throws(ParseFailure) -> UInt64? {
        guard take(.minus) else { return try number64() }
        note(.negativeNumber)
        _ = try number64()
        return nil
    }

    mutating func quotaRoot() throws(ParseFailure) -> OtherResponse {
        let mailbox = try astring("mailbox name")
        var roots: [[UInt8]] = []
        while skipSpaces() > 0, !isAtEnd {
            try countItem()
            roots.append(try astring("quota root"))
        }
        return .quotaRoot(mailbox: mailbox, roots: roots)
    }

    /// A string in quotes, as a literal, or as a word.
    mutating func astring(_ what: String) throws(ParseFailure) -> [UInt8] {
        if let string = try string() { return string }
        let word = takeWhile { $0 != .space && $0 != .openParenthesis && $0 != .closeParenthesis }
        guard !word.isEmpty else { throw failure(.expected(what)) }
        return Array(word)
    }
}

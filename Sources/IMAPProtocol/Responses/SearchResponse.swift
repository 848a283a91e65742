/// The result of a SEARCH in the server's order: UIDs for a UID SEARCH, otherwise sequence numbers. RFC 3501 §7.2.5.
public struct SearchResponse: Equatable, Sendable {
    public var numbers: [UInt32]
    /// Present only after a search for MODSEQ. RFC 7162 §3.1.5.
    public var highestModSeq: UInt64?

    public init(_ numbers: [UInt32], highestModSeq: UInt64? = nil) {
        self.numbers = numbers
        self.highestModSeq = highestModSeq
    }
}

extension SearchResponse {
    static func read(_ cursor: inout Cursor) throws(ParseFailure) -> SearchResponse {
        var numbers: [UInt32] = []
        var modSeq: UInt64?
        while true {
            cursor.skipSpaces()
            guard let byte = cursor.peek else { break }
            if byte == .openParenthesis {
                modSeq = try cursor.parenthesisedModSeq()
                continue
            }
            guard numbers.count < cursor.limits.numbers else {
                throw cursor.failure(.tooManyItems(actual: numbers.count + 1, maximum: cursor.limits.numbers))
            }
            let number = try cursor.number()
            if number == 0 { cursor.note(.uidZero) } else { numbers.append(number) }
        }
        return SearchResponse(numbers, highestModSeq: modSeq)
    }
}

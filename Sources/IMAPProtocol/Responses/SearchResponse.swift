/// What SEARCH found, by UID where UIDs were asked for, in the server's order. RFC 3501 §7.2.5.
public struct SearchResponse: Equatable, Sendable {
    public var numbers: [UInt32]
    /// Only where the search was for MODSEQ. RFC 7162 §3.1.5.
    public var highestModSeq: UInt64?

    public init(_ numbers: [UInt32], highestModSeq: UInt64? = nil) {
        self.numbers = numbers
        self.highestModSeq = highestModSeq
    }
}

extension Cursor {
    mutating func searchResponse() throws(ParseFailure) -> SearchResponse {
        var numbers: [UInt32] = []
        var modSeq: UInt64?
        while true {
            skipSpaces()
            guard let byte = peek else { break }
            if byte == .openParenthesis {
                modSeq = try parenthesisedModSeq()
                continue
            }
            guard numbers.count < limits.numbers else {
                throw failure(.tooManyItems(actual: numbers.count + 1, maximum: limits.numbers))
            }
            let number = try number()
            if number == 0 { note(.uidZero) } else { numbers.append(number) }
        }
        return SearchResponse(numbers, highestModSeq: modSeq)
    }
}

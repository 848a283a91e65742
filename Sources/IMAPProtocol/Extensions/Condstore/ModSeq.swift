/// MODSEQ where it is not part of FETCH: the number that grows with each change of a mailbox. RFC 7162 §3.1.
///
///     fetch-mod-resp      = "MODSEQ" SP "(" permsg-modsequence ")"
///     search-sort-mod-seq = "(" "MODSEQ" SP mod-sequence-value ")"
///     resp-text-code      =/ "HIGHESTMODSEQ" SP mod-sequence-value / "NOMODSEQ" / "MODIFIED" SP sequence-set
extension Cursor {
    /// `(MODSEQ 917162500)` after the numbers of a SEARCH. RFC 7162 §7 (`search-sort-mod-seq`).
    mutating func parenthesisedModSeq() throws(ParseFailure) -> UInt64 {
        try expect(.openParenthesis)
        guard word() == "MODSEQ" else { throw failure(.expected("MODSEQ")) }
        skipSpaces()
        let value = try number64()
        try expect(.closeParenthesis)
        return value
    }

    /// The argument of the code `HIGHESTMODSEQ`; nil: the server sent an invalid one (`0`, `-1`). RFC 7162 §3.1.2.1.
    mutating func highestModSeq() throws(ParseFailure) -> UInt64? {
        let negative = take(.minus)
        let value = try number64()
        guard value > 0, !negative else {
            note(.invalidModSeq)
            return nil
        }
        return value
    }

    /// The value of the item MODSEQ of a FETCH, `(12)`. RFC 7162 §7 (`fetch-mod-resp`).
    mutating func fetchedModSeq() throws(ParseFailure) -> UInt64? {
        if skipNil() || valueIsMissing() { return nil }
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
}

/// ESEARCH: what a search found, as a set instead of number by number. RFC 4731 §3, RFC 9394.
///
///     esearch-response = "ESEARCH" [search-correlator] [SP "UID"] *(SP search-return-data)
public struct ESearchResponse: Equatable, Sendable {
    public var tag: CommandTag?
    public var isUID = false
    /// nil when nothing matched, or ALL was not asked for.
    public var all: UIDSet?
    public var count: UInt32?
    public var highestModSeq: UInt64?
    public var min: UInt32?
    public var max: UInt32?
    /// What `RETURN (PARTIAL 1:500)` brought; an empty set where nothing is there. RFC 9394.
    public var partial: UIDSet?

    public init() {}
}

extension CommandWriter {
    /// `RETURN (ALL)`. The option is always named: Exchange and others answer `RETURN ()` without any result. RFC 4731 §3.1.
    mutating func writeSearchReturn() { words("RETURN (ALL)") }
}

extension Cursor {
    mutating func esearchResponse() throws(ParseFailure) -> ESearchResponse {
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
                response.highestModSeq = try parenthesisedModSeq()
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
        _ = read { $0 != .space && $0 != .closeParenthesis }
        skipSpaces()
        let set = skipNil() ? UIDSet() : UIDSet(ranges: try uidRanges())
        try expect(.closeParenthesis)
        return set
    }
}

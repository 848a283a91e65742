/// ESEARCH: what a search found, as a set instead of number by number. RFC 4731 §3, RFC 9394.
///
///     esearch-response = "ESEARCH" [search-correlator] [SP "UID"] *(SP search-return-data)
public struct ESearchResponse: Equatable, Sendable {
    public var tag: CommandTag?
    public var isUID = false
    /// nil: nothing matched, or the client did not request ALL.
    public var all: UIDSet?
    public var count: UInt32?
    public var highestModSeq: UInt64?
    public var min: UInt32?
    public var max: UInt32?
    /// The result of `RETURN (PARTIAL 1:500)`; an empty set: no messages in that range. RFC 9394.
    public var partial: UIDSet?

    public init() {}
}

extension CommandWriter {
    /// `RETURN (ALL)`. The client always names the option, because Exchange and others answer `RETURN ()` without a
    /// result. RFC 4731 §3.1.
    mutating func writeSearchReturn() { words("RETURN (ALL)") }
}

extension ESearchResponse {
    static func read(_ cursor: inout Cursor) throws(ParseFailure) -> ESearchResponse {
        var response = ESearchResponse()
        if cursor.take(.openParenthesis) {
            guard cursor.word() == "TAG" else { throw cursor.failure(.expected("TAG")) }
            cursor.skipSpaces()
            // RFC 4466 requires a string, and RFC 9051 allows an astring. Some servers send an atom.
            response.tag = CommandTag(rawValue: serverText(try cursor.astring("tag"), maximum: 64))
            cursor.skipSpaces()
            try cursor.expect(.closeParenthesis)
        }
        while true {
            cursor.skipSpaces()
            if cursor.isAtEnd { return response }
            if cursor.peek == .openParenthesis {
                cursor.note(.parenthesisedModSeq)
                response.highestModSeq = try cursor.parenthesisedModSeq()
                continue
            }
            let name = cursor.word()
            guard !name.isEmpty else { throw cursor.failure(.expected("search result")) }
            cursor.skipSpaces()
            try esearchItem(&cursor, name, into: &response)
        }
    }

    private static func esearchItem(
        _ cursor: inout Cursor, _ name: String, into response: inout ESearchResponse
    ) throws(ParseFailure) {
        switch name {
        case "UID": response.isUID = true
        case "ALL": response.all = UIDSet(ranges: try cursor.uidRanges())
        case "COUNT": response.count = try cursor.number()
        case "MIN": response.min = try cursor.number()
        case "MAX": response.max = try cursor.number()
        case "MODSEQ": response.highestModSeq = try cursor.number64()
        case "PARTIAL": response.partial = try partialResult(&cursor)
        default: try cursor.skipValue()
        }
    }

    /// `(1:500 3,7:9)`, or NIL for a window without a hit. RFC 9394 §3.1.
    private static func partialResult(_ cursor: inout Cursor) throws(ParseFailure) -> UIDSet {
        try cursor.expect(.openParenthesis)
        _ = cursor.read { $0 != .space && $0 != .closeParenthesis }
        cursor.skipSpaces()
        let set = cursor.skipNil() ? UIDSet() : UIDSet(ranges: try cursor.uidRanges())
        try cursor.expect(.closeParenthesis)
        return set
    }
}

/// OBJECTID: permanent identifiers of mailboxes, messages and threads. RFC 8474.
///
///     fetch-emailid-resp  = "EMAILID" SP "(" objectid ")"
///     fetch-threadid-resp = "THREADID" SP ( "(" objectid ")" / nil )
///     objectid            = 1*255(ALPHA / DIGIT / "_" / "-")
extension Cursor {
    /// `(M6d99ac3275bb4e)`: one value in parentheses (RFC 8474 §7). A value without them is a quirk.
    mutating func objectID() throws(ParseFailure) -> String? {
        let hasParenthesis = take(.openParenthesis)
        if !hasParenthesis { note(.bareObjectID) }
        skipSpaces()
        let bytes: ArraySlice<UInt8>
        if let string = try string() {
            bytes = string[...]
        } else {
            bytes = read {
                $0 != .space && $0 != .openParenthesis && $0 != .closeParenthesis && $0 != .closeBracket
            }
        }
        skipSpaces()
        if hasParenthesis { try expect(.closeParenthesis) }
        guard !bytes.isEmpty else { return nil }
        return serverText(bytes, maximum: 255)
    }
}

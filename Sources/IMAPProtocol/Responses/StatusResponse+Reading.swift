/// OK, NO, BAD, PREAUTH and BYE with their codes. RFC 3501 §7.1.
///
/// Nothing here throws: an unreadable code becomes `.other`, so that the status is not lost.
extension StatusResponse {
    /// Reads the rest of the line: an optional code, then text for people.
    static func read(_ cursor: inout Cursor, _ status: StatusResponse.Status) -> StatusResponse {
        cursor.skipSpaces()
        let code = responseCode(&cursor)
        cursor.skipSpaces()
        if cursor.isAtEnd { cursor.note(.missingStatusText) }
        return StatusResponse(status, code: code, text: serverText(cursor.rest))
    }

    private static func responseCode(_ cursor: inout Cursor) -> ResponseCode? {
        guard cursor.peek == .openBracket else { return nil }
        let start = cursor.index
        cursor.index += 1
        if let code = try? knownCode(&cursor), cursor.take(.closeBracket) { return code }
        cursor.index = start + 1
        let name = cursor.word()
        cursor.skipSpaces()
        let arguments = codeArguments(&cursor)
        guard cursor.take(.closeBracket) else {
            cursor.note(.unclosedCode)
            cursor.index = start
            return nil
        }
        return .other(name: serverText(name.utf8, maximum: 64), arguments: serverText(arguments))
    }

    /// The text up to the bracket that ends the code, without brackets in quotes. Exchange sends whole sentences here.
    private static func codeArguments(_ cursor: inout Cursor) -> ArraySlice<UInt8> {
        let start = cursor.index
        var inQuotes = false
        while let byte = cursor.peek, byte != .closeBracket || inQuotes {
            if byte == .quote { inQuotes.toggle() }
            cursor.index += 1
        }
        if cursor.isAtEnd, inQuotes {
            cursor.index = start
            return cursor.read { $0 != .closeBracket }
        }
        return cursor.text[start..<cursor.index]
    }

    /// A code that opus uses, up to its bracket; nil: any other.
    private static func knownCode(_ cursor: inout Cursor) throws(ParseFailure) -> ResponseCode? {
        let name = cursor.word()
        cursor.skipSpaces()
        switch name {
        case "CAPABILITY": return .capability(cursor.capabilities(until: .closeBracket))
        case "UIDVALIDITY": return .uidValidity(try uidValidity(&cursor))
        case "UIDNEXT": return .uidNext(try cursor.number())
        case "HIGHESTMODSEQ": return try cursor.highestModSeq().map { .highestModSeq($0) } ?? .noModSeq
        case "NOMODSEQ": return .noModSeq
        case "PERMANENTFLAGS": return .permanentFlags(try cursor.flagList())
        case "READ-ONLY": return .readOnly
        case "READ-WRITE": return .readWrite
        case "COPYUID": return try CopyUID.read(&cursor).map { .copyUID($0) }
        case "APPENDUID": return .appendUID(try .read(&cursor))
        case "TRYCREATE": return .tryCreate
        case "ALERT": return .alert
        case "AUTHENTICATIONFAILED": return .authenticationFailed
        case "OVERQUOTA": return .overQuota
        case "UNAVAILABLE": return .unavailable
        case "MODIFIED": return .modified(UIDSet(ranges: try cursor.uidRanges()))
        case "CLOSED": return .closed
        case "NONEXISTENT": return .nonExistent
        case "ALREADYEXISTS": return .alreadyExists
        default: return nil
        }
    }

    /// Zero is invalid: no UID is reliable then. Outlook.com sent it in 2015.
    private static func uidValidity(_ cursor: inout Cursor) throws(ParseFailure) -> UInt32 {
        let value = try cursor.number()
        if value == 0 { cursor.note(.uidValidityZero) }
        return value
    }
}

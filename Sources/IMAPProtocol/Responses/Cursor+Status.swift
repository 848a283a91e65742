/// OK, NO, BAD, PREAUTH and BYE with their codes. RFC 3501 §7.1.
///
/// Nothing here throws: a code that cannot be read becomes `.other`, because the status itself must not be lost.
extension Cursor {
    /// What follows the word: an optional code, then text for people.
    mutating func statusResponse(_ status: StatusResponse.Status) -> StatusResponse {
        skipSpaces()
        let code = responseCode()
        skipSpaces()
        if isAtEnd { note(.missingStatusText) }
        return StatusResponse(status, code: code, text: serverText(rest))
    }

    private mutating func responseCode() -> ResponseCode? {
        guard peek == .openBracket else { return nil }
        let start = index
        index += 1
        if let code = try? knownCode(), take(.closeBracket) { return code }
        index = start + 1
        let name = word()
        skipSpaces()
        let arguments = codeArguments()
        guard take(.closeBracket) else {
            note(.unclosedCode)
            index = start
            return nil
        }
        return .other(name: serverText(name.utf8, maximum: 64), arguments: serverText(arguments))
    }

    /// Up to the bracket that ends the code; one in quotes does not. Exchange puts whole sentences there.
    private mutating func codeArguments() -> ArraySlice<UInt8> {
        let start = index
        var inQuotes = false
        while let byte = peek, byte != .closeBracket || inQuotes {
            if byte == .quote { inQuotes.toggle() }
            index += 1
        }
        if isAtEnd, inQuotes {
            index = start
            return read { $0 != .closeBracket }
        }
        return text[start..<index]
    }

    /// A code that we know, up to its bracket; nil for any other.
    private mutating func knownCode() throws(ParseFailure) -> ResponseCode? {
        let name = word()
        skipSpaces()
        switch name {
        case "CAPABILITY": return .capability(capabilities(until: .closeBracket))
        case "UIDVALIDITY": return .uidValidity(try uidValidity())
        case "UIDNEXT": return .uidNext(try number())
        case "HIGHESTMODSEQ": return try highestModSeq().map { .highestModSeq($0) } ?? .noModSeq
        case "NOMODSEQ": return .noModSeq
        case "PERMANENTFLAGS": return .permanentFlags(try flagList())
        case "READ-ONLY": return .readOnly
        case "READ-WRITE": return .readWrite
        case "COPYUID": return try CopyUID.read(&self).map { .copyUID($0) }
        case "APPENDUID": return .appendUID(try .read(&self))
        case "TRYCREATE": return .tryCreate
        case "ALERT": return .alert
        case "AUTHENTICATIONFAILED": return .authenticationFailed
        case "OVERQUOTA": return .overQuota
        case "UNAVAILABLE": return .unavailable
        case "MODIFIED": return .modified(UIDSet(ranges: try uidRanges()))
        case "CLOSED": return .closed
        case "NONEXISTENT": return .nonExistent
        case "ALREADYEXISTS": return .alreadyExists
        default: return nil
        }
    }

    /// Zero is not valid: no UID can be trusted then. Outlook.com sent it in 2015.
    private mutating func uidValidity() throws(ParseFailure) -> UInt32 {
        let value = try number()
        if value == 0 { note(.uidValidityZero) }
        return value
    }
}

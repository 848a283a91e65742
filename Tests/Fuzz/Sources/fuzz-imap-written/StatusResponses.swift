import IMAPProtocol

/// OK, NO, BAD, BYE and PREAUTH with their codes, and lists of capabilities.
extension Writer {
    mutating func tagged() -> Response {
        let tag = source.word()
        write(tag + " ")
        return .tagged(CommandTag(rawValue: tag), status([.ok, .no, .bad]))
    }

    mutating func status(_ kinds: [StatusResponse.Status]) -> StatusResponse {
        let kind = kinds[source.below(kinds.count)]
        keyword(kind.rawValue)
        write(" ")
        var code: ResponseCode?
        if source.maybe() {
            write("[")
            code = self.code()
            write("] ")
        }
        let text = source.sentence()
        write(text + "\r\n")
        return StatusResponse(kind, code: code, text: text)
    }

    private mutating func code() -> ResponseCode {
        switch source.below(10) {
        case 0: return plainCode()
        case 1: return .uidValidity(number("UIDVALIDITY"))
        case 2: return .uidNext(number("UIDNEXT"))
        case 3:
            let number = max(1, source.number64())
            keyword("HIGHESTMODSEQ")
            write(" \(number)")
            return .highestModSeq(number)
        case 4:
            keyword("PERMANENTFLAGS")
            write(" ")
            return .permanentFlags(flags(wildcard: source.maybe()))
        case 5:
            keyword("CAPABILITY")
            return .capability(capabilityNames())
        case 6: return copyUID()
        case 7:
            let validity = number("APPENDUID")
            let uid = source.positive()
            write(" \(uid)")
            return .appendUID(AppendUID(uidValidity: validity, uid: uid))
        case 8:
            keyword("MODIFIED")
            let set = set()
            write(" \(set)")
            return .modified(set)
        case _: return otherCode()
        }
    }

    private mutating func plainCode() -> ResponseCode {
        let codes: [ResponseCode] = [
            .noModSeq, .readOnly, .readWrite, .tryCreate, .alert, .authenticationFailed, .overQuota,
            .unavailable, .closed, .nonExistent, .alreadyExists,
        ]
        let code = codes[source.below(codes.count)]
        keyword(code.name.rawValue)
        return code
    }

    private mutating func number(_ name: String) -> UInt32 {
        let number = source.positive()
        keyword(name)
        write(" \(number)")
        return number
    }

    private mutating func copyUID() -> ResponseCode {
        let validity = number("COPYUID")
        let sources = [source.positive()] + source.list(6) { $0.positive() }
        let destinations = sources.map { _ in source.positive() }
        write(" ")
        numbers(sources)
        write(" ")
        numbers(destinations)
        return .copyUID(CopyUID(uidValidity: validity, sources: sources, destinations: destinations))
    }

    private mutating func otherCode() -> ResponseCode {
        let name = source.word().uppercased()
        keyword(name)
        guard source.maybe() else { return .other(name: name, arguments: "") }
        let arguments = source.sentence().filter { $0 != "]" && $0 != "\"" }
        write(" " + arguments)
        return .other(name: name, arguments: arguments)
    }

    mutating func capabilities() -> Untagged {
        let isEnabled = source.maybe()
        write("* ")
        keyword(isEnabled ? "ENABLED" : "CAPABILITY")
        let names = capabilityNames()
        write("\r\n")
        return isEnabled ? .enabled(names) : .capability(names)
    }

    private mutating func capabilityNames() -> Set<Capability> {
        let known = ["IMAP4rev1", "LITERAL+", "AUTH=PLAIN", "APPENDLIMIT=35651584", "UTF8=ACCEPT"]
        let names = known.prefix(source.below(6)) + source.list(4) { $0.word() }
        for name in names { write(" " + name) }
        return Set(names.map { Capability($0) })
    }
}

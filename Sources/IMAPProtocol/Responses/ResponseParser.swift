/// Parses one framed response: the second of two stages. RFC 3501 §9, RFC 9051 §9.
///
/// A response that cannot be parsed becomes `.unparsable` and is counted; it never ends the session. Quirks are named,
/// counted, and listed in `docs/Quirks.md`.
public struct ResponseParser: Sendable {
    public var limits: ResponseLimits
    public private(set) var quirks = QuirkCounts()
    /// How many responses were skipped.
    public private(set) var unparsableCount = 0

    public init(limits: ResponseLimits = .standard) { self.limits = limits }

    public mutating func parse(_ frame: Frame) -> Response {
        if frame.hasBareLineFeed { quirks.note(.bareLineFeed) }
        var cursor = Cursor(frame, limits: limits)
        do {
            let response = try cursor.response()
            for quirk in cursor.quirks { quirks.note(quirk) }
            return response
        } catch {
            unparsableCount += 1
            var unparsable = error.unparsable
            unparsable.excerpt = cursor.excerpt(around: unparsable.offset)
            return .untagged(.unparsable(unparsable))
        }
    }
}

extension Cursor {
    mutating func response() throws(ParseFailure) -> Response {
        switch peek {
        case nil:
            note(.blankLine)
            return .untagged(.blank)
        case .openBracket:
            note(.codeWithoutStatus)
            return .untagged(.status(StatusResponse.read(&self, .ok)))
        case .plus:
            return continuation()
        case .star:
            index += 1
            let spaces = skipSpaces()
            guard spaces > 0 else { throw failure(.expected("space")) }
            if spaces > 1 { note(.extraSpace) }
            return .untagged(try untagged())
        default:
            return try tagged()
        }
    }

    private mutating func continuation() -> Response {
        index += 1
        if skipSpaces() == 0 { note(.bareContinuation) }
        return .continuation(text: serverText(rest))
    }

    private mutating func tagged() throws(ParseFailure) -> Response {
        let tag = read { $0 != .space }
        guard !tag.isEmpty, tag.count <= 64, tag.allSatisfy({ $0.isAtomCharacter }) else {
            throw failure(.expected("tag"))
        }
        skipSpaces()
        guard let status = StatusResponse.Status(rawValue: word()), status != .preauth, status != .bye else {
            throw failure(.expected("OK, NO or BAD"))
        }
        return .tagged(
            CommandTag(rawValue: String(decoding: tag, as: UTF8.self)), StatusResponse.read(&self, status))
    }

    private mutating func untagged() throws(ParseFailure) -> Untagged {
        if peek?.isDigit == true { return try numbered() }
        if peek == .openBracket {
            note(.codeWithoutStatus)
            return .status(StatusResponse.read(&self, .ok))
        }
        keyword = word()
        if let status = StatusResponse.Status(rawValue: keyword) {
            return .status(StatusResponse.read(&self, status))
        }
        skipSpaces()
        return try untaggedData()
    }

    private mutating func untaggedData() throws(ParseFailure) -> Untagged {
        switch keyword {
        case "CAPABILITY": return .capability(capabilities())
        case "ENABLED": return .enabled(capabilities())
        case "LIST", "LSUB", "XLIST": return .list(try .read(&self))
        case "STATUS": return .mailboxStatus(try .read(&self))
        case "SEARCH": return .search(try .read(&self))
        case "ESEARCH": return .esearch(try .read(&self))
        case "FLAGS": return .flags(try mailboxFlags())
        case "VANISHED": return .vanished(try .read(&self))
        case "ID": return .id(try IDField.read(&self))
        case "NAMESPACE": return .namespace(try .read(&self))
        case "MYRIGHTS": return .myRights(try .read(&self))
        case "QUOTA": return .quota(try .read(&self))
        case "QUOTAROOT": return .quotaRoot(try .read(&self))
        case "": throw failure(.expected("keyword"))
        default: return .other(serverText(keyword.utf8, maximum: 64))
        }
    }

    /// `\*` belongs into PERMANENTFLAGS only (GreenMail).
    private mutating func mailboxFlags() throws(ParseFailure) -> [String] {
        let flags = try flagList()
        guard flags.contains("\\*") else { return flags }
        note(.wildcardFlag)
        return flags.filter { $0 != "\\*" }
    }

    private mutating func numbered() throws(ParseFailure) -> Untagged {
        let number = try number()
        skipSpaces()
        keyword = word()
        switch keyword {
        case "EXISTS": return .exists(number)
        case "RECENT": return .recent(number)
        case "EXPUNGE": return .expunge(number)
        case "FETCH":
            skipSpaces()
            return .fetch(try .read(&self, number))
        default: return .other(serverText(keyword.utf8, maximum: 64))
        }
    }

    private mutating func capabilities() -> Set<Capability> { capabilities(until: nil) }

    /// Capability names up to the end, or up to a closing bracket.
    mutating func capabilities(until end: UInt8?) -> Set<Capability> {
        var found: Set<Capability> = []
        var previous: Capability?
        while true {
            skipSpaces()
            let name = read { $0 != .space && $0 != end }
            guard !name.isEmpty else { return found }
            if name.elementsEqual([.plus]), let last = previous, last.name == "LITERAL" {
                note(.splitLiteralPlus)
                found.remove(last)
                found.insert(.literalPlus)
                continue
            }
            let capability = Capability(serverText(name, maximum: 128))
            found.insert(capability)
            previous = capability
        }
    }
}

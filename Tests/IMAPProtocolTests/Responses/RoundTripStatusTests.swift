import NIOCore
import TestSupport
import Testing

@testable import IMAPProtocol

/// The kinds that ``RoundTripTests`` leaves out: statuses with their codes, ids, and all items of STATUS and ESEARCH.
@Suite struct RoundTripStatusTests {
    @Test("random responses of the other kinds are read back unchanged", arguments: 0..<8)
    func responses(seed: Int) throws {
        var server = Server(seed: UInt64(seed) &* 15_485_863 &+ 11)
        var kinds: Set<Transcript.Kind> = []
        for _ in 0..<300 {
            server.writer = ResponseWriter(seed: server.random.next())
            let expected = server.response()
            kinds.insert(expected.kind)
            for pieces in [Int.max, 3] {
                let (responses, decoder) = try decode(server.writer.bytes, pieces: pieces)
                #expect(responses == [expected], "\(String(decoding: server.writer.bytes, as: UTF8.self))")
                #expect(decoder.quirks.seen == [])
            }
        }
        let all: Set<Transcript.Kind> = [
            .tagged, .status, .capability, .enabled, .exists, .recent, .expunge, .id, .namespace, .other,
            .mailboxStatus, .esearch, .search, .fetch,
        ]
        #expect(kinds == all)
    }
}

/// Says one thing after the other, by the letter.
private struct Server {
    var random: SeededGenerator
    var writer: ResponseWriter

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        writer = ResponseWriter(seed: seed)
    }

    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
    mutating func maybe() -> Bool { Bool.random(using: &random) }
    mutating func number() -> UInt32 { UInt32.random(in: 1...(.max), using: &random) }
    mutating func number64() -> UInt64 { UInt64.random(in: 1...(1 << 63), using: &random) }
    mutating func word() -> String { "x\(below(1_000_000))" }

    /// With everything that could be taken for the end of something.
    mutating func text() -> String {
        let pieces = ["a", " ", ")", "(", "{", "3}", "\"", "\\", "NIL", "ü", "*", "%"]
        return "S" + (0..<below(8)).compactMap { _ in pieces.randomElement(using: &random) }.joined() + "."
    }

    mutating func response() -> Response {
        switch below(10) {
        case 0:
            let tag = word()
            writer.text("\(tag) ")
            return .tagged(CommandTag(rawValue: tag), status([.ok, .no, .bad]))
        case 1:
            writer.text("* ")
            return .status(status([.ok, .no, .bad, .bye, .preauth]))
        case 2: return capabilities()
        case 3: return counts()
        case 4: return identity()
        case 5: return namespace()
        case 6: return quota()
        case 7: return mailboxStatus()
        case 8: return maybe() ? search() : esearch()
        default: return fetch()
        }
    }

    // MARK: Statuses

    private mutating func status(_ all: [StatusResponse.Status]) -> StatusResponse {
        let status = all[below(all.count)]
        writer.keyword(status.rawValue)
        writer.text(" ")
        var code: ResponseCode?
        if below(4) > 0 {
            writer.text("[")
            code = self.code()
            writer.text("] ")
        }
        let words = text()
        writer.text("\(words)\r\n")
        return StatusResponse(status, code: code, text: words)
    }

    private mutating func say(_ name: String, _ arguments: String = "") {
        writer.keyword(name)
        writer.text(arguments.isEmpty ? "" : " " + arguments)
    }

    private mutating func code() -> ResponseCode {
        let one = number()
        let two = number()
        switch below(9) {
        case 0:
            say("UIDVALIDITY", "\(one)")
            return .uidValidity(one)
        case 1:
            say("UIDNEXT", "\(one)")
            return .uidNext(one)
        case 2:
            let value = number64()
            say("HIGHESTMODSEQ", "\(value)")
            return .highestModSeq(value)
        case 3:
            say("APPENDUID", "\(one) \(two)")
            return .appendUID(AppendUID(uidValidity: one, uid: two))
        case 4: return copyUID(one)
        case 5:
            let set = UIDSet([one, two])
            say("MODIFIED", "\(set)")
            return .modified(set)
        case 6:
            say("PERMANENTFLAGS", "(\\Seen $x \\*)")
            return .permanentFlags(["\\Seen", "$x", "\\*"])
        case 7:
            say("BADEVENT", "(\(word()) x\")\"x)")
            return .other(name: "BADEVENT", arguments: lastArguments)
        default: return plainCode()
        }
    }

    /// What stands between the last bracket and the end.
    private var lastArguments: String {
        let said = String(decoding: writer.bytes, as: UTF8.self)
        return String(said[said.index(after: said.lastIndex(of: "[") ?? said.startIndex)...].dropFirst(9))
    }

    private mutating func plainCode() -> ResponseCode {
        let codes: [ResponseCode] = [
            .noModSeq, .readOnly, .readWrite, .tryCreate, .alert, .authenticationFailed, .overQuota,
            .unavailable, .closed, .nonExistent, .alreadyExists,
        ]
        let code = codes[below(codes.count)]
        say(code.name.rawValue)
        return code
    }

    /// Never sorted: the pairs are the proof.
    private mutating func copyUID(_ validity: UInt32) -> ResponseCode {
        let sources = (0...below(5)).map { _ in number() }
        let start = UInt32(below(100_000)) + 1
        let destinations = sources.indices.map { start + UInt32($0) }
        let range = destinations.count == 1 ? "\(start)" : "\(start):\(start + UInt32(sources.count) - 1)"
        say("COPYUID", "\(validity) \(sources.map(String.init).joined(separator: ",")) \(range)")
        return .copyUID(CopyUID(uidValidity: validity, sources: sources, destinations: destinations))
    }

    // MARK: Lists and numbers

    private mutating func capabilities() -> Response {
        let names = ["IMAP4rev1", "LITERAL+"] + (0..<below(4)).map { _ in word() }
        let isEnabled = maybe()
        writer.text("* ")
        say(isEnabled ? "ENABLED" : "CAPABILITY", names.joined(separator: " "))
        writer.text("\r\n")
        let set = Set(names.map { Capability($0) })
        return isEnabled ? .enabled(set) : .capability(set)
    }

    private mutating func counts() -> Response {
        let value = number()
        let kind = below(3)
        writer.text("* \(value) ")
        say(["EXISTS", "RECENT", "EXPUNGE"][kind])
        writer.text("\r\n")
        return [.exists(value), .recent(value), .expunge(value)][kind]
    }

    private mutating func identity() -> Response {
        let fields = (0..<below(4)).map { _ in IDField(name: text(), value: maybe() ? text() : nil) }
        writer.text("* ID ")
        writer.nlist(fields) { writer, field in
            writer.string(bytes(field.name))
            writer.text(" ")
            writer.nstring(field.value.map(bytes))
        }
        writer.text("\r\n")
        return .id(fields)
    }

    private mutating func namespace() -> Response {
        let all = (0..<3).map { _ in
            (0..<below(3)).map { _ in
                NamespaceResponse.Entry(prefix: bytes(text()), delimiter: maybe() ? .backslash : nil)
            }
        }
        writer.text("* NAMESPACE")
        for entries in all {
            writer.text(" ")
            writer.nlist(entries, separator: "") { writer, entry in
                writer.list([entry.prefix, entry.delimiter.map { [$0] }]) { $0.nstring($1) }
            }
        }
        writer.text("\r\n")
        return .namespace(NamespaceResponse(personal: all[0], otherUsers: all[1], shared: all[2]))
    }

    private mutating func quota() -> Response {
        let resources = (0..<below(3)).map { _ in
            QuotaResponse.Resource(name: word().uppercased(), usage: number64(), limit: number64())
        }
        let root = bytes(text())
        writer.text("* QUOTA ")
        writer.string(root)
        writer.text(" ")
        writer.list(resources) { $0.text("\($1.name) \($1.usage) \($1.limit)") }
        writer.text("\r\n")
        return .quota(QuotaResponse(root: root, resources: resources))
    }

    private mutating func mailboxStatus() -> Response {
        let status = MailboxStatus(
            name: bytes(text()), messages: number(), uidNext: number(), uidValidity: number(),
            unseen: number(), highestModSeq: number64(), recent: number(), deleted: number(),
            size: number64(), mailboxID: word(), appendLimit: number64())
        var items = [
            "MESSAGES \(status.messages ?? 0)", "UIDNEXT \(status.uidNext ?? 0)",
            "UIDVALIDITY \(status.uidValidity ?? 0)", "UNSEEN \(status.unseen ?? 0)",
            "HIGHESTMODSEQ \(status.highestModSeq ?? 0)", "RECENT \(status.recent ?? 0)",
            "DELETED \(status.deleted ?? 0)", "SIZE \(status.size ?? 0)",
            "MAILBOXID (\(status.mailboxID ?? ""))",
            "APPENDLIMIT \(status.appendLimit ?? 0)", "X-LATER (1 (\"x\" {1}\r\n)))",
        ]
        items.shuffle(using: &random)
        writer.text("* STATUS ")
        writer.string(status.name)
        writer.text(" (\(items.joined(separator: " ")))\r\n")
        return .mailboxStatus(status)
    }

    private mutating func search() -> Response {
        let numbers = (0..<below(20)).map { _ in number() }
        let modSeq: UInt64? = maybe() ? number64() : nil
        writer.text("* SEARCH" + numbers.map { " \($0)" }.joined() + (modSeq.map { " (MODSEQ \($0))" } ?? ""))
        writer.text("\r\n")
        return .search(numbers, highestModSeq: modSeq)
    }

    private mutating func esearch() -> Response {
        var found = ESearchResponse()
        found.tag = CommandTag(rawValue: word())
        found.isUID = maybe()
        found.min = number()
        found.max = number()
        found.count = number()
        found.highestModSeq = number64()
        let set = UIDSet((0...below(5)).map { _ in number() })
        found.all = set
        found.partial = maybe() ? set : UIDSet()
        var items = [
            "MIN \(found.min ?? 0)", "MAX \(found.max ?? 0)", "COUNT \(found.count ?? 0)", "ALL \(set)",
            "MODSEQ \(found.highestModSeq ?? 0)", "PARTIAL (1:9 \(found.partial == set ? "\(set)" : "NIL"))",
            "LATER (1 2)",
        ]
        items.shuffle(using: &random)
        writer.text("* ESEARCH (TAG \"\(found.tag?.rawValue ?? "")\")\(found.isUID ? " UID" : "") ")
        writer.text(items.joined(separator: " ") + "\r\n")
        return .esearch(found)
    }

    private mutating func fetch() -> Response {
        var fetch = FetchResponse(sequenceNumber: number())
        fetch.emailID = word()
        fetch.threadID = maybe() ? word() : nil
        fetch.gmailMessageID = number64()
        fetch.gmailThreadID = number64()
        let body = ByteBuffer(string: text() + "\r\n" + text())
        fetch.sections = [
            BodySection(name: "HEADER.FIELDS (DATE \"X-]\")", content: .bytes(body)),
            BodySection(name: "2", origin: number(), content: .missing),
        ]
        writer.text("* \(fetch.sequenceNumber) FETCH (EMAILID (\(fetch.emailID ?? "")) THREADID ")
        writer.text(fetch.threadID.map { "(\($0))" } ?? "NIL")
        writer.text(" X-GM-MSGID \(fetch.gmailMessageID ?? 0) X-GM-THRID \(fetch.gmailThreadID ?? 0)")
        writer.text(" BODY[HEADER.FIELDS (DATE \"X-]\")] ")
        writer.string(Array(body.readableBytesView))
        writer.text(" BODY[2]<\(fetch.sections[1].origin ?? 0)> NIL BINARY.SIZE[3] 12)\r\n")
        return .fetch(fetch)
    }
}

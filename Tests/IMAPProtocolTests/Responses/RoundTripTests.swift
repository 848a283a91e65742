import NIOCore
import TestSupport
import Testing

@testable import IMAPProtocol

/// What a server by the letter writes is read back as it was meant, whatever it holds.
@Suite struct RoundTripTests {
    @Test("a random FETCH with envelope and structure is read back unchanged", arguments: 0..<12)
    func fetch(seed: Int) throws {
        var random = Generator(seed: UInt64(seed) &* 7_919 &+ 1)
        for _ in 0..<60 {
            let expected = random.fetch()
            var writer = ResponseWriter(seed: random.number())
            writer.fetch(expected)
            for pieces in [Int.max, 1, 7] {
                let (responses, decoder) = try decode(writer.bytes, pieces: pieces)
                #expect(responses == [.fetch(expected)], "\(String(decoding: writer.bytes, as: UTF8.self))")
                #expect(decoder.quirks.seen == [])
            }
        }
    }

    @Test("random sets, flags, listings, quotas and numbers are read back unchanged", arguments: 0..<8)
    func others(seed: Int) throws {
        var random = Generator(seed: UInt64(seed) &* 104_729 &+ 3)
        for _ in 0..<100 {
            var writer = ResponseWriter(seed: random.number())
            let expected = random.response(&writer)
            let (responses, decoder) = try decode(writer.bytes, pieces: 7)
            #expect(responses == [expected], "\(String(decoding: writer.bytes, as: UTF8.self))")
            #expect(decoder.quirks.seen == [])
        }
    }
}

extension ResponseWriter {
    fileprivate mutating func fetch(_ fetch: FetchResponse) {
        text("* \(fetch.sequenceNumber) ")
        keyword("FETCH")
        text(" (")
        var items: [(inout Self) -> Void] = []
        if let uid = fetch.uid { items.append { $0.item("UID", "\(uid)") } }
        if let flags = fetch.flags { items.append { $0.item("FLAGS", "(\(flags.joined(separator: " ")))") } }
        if let size = fetch.size { items.append { $0.item("RFC822.SIZE", "\(size)") } }
        if let modSeq = fetch.modSeq { items.append { $0.item("MODSEQ", "(\(modSeq))") } }
        if let date = fetch.internalDate {
            items.append { $0.item("INTERNALDATE", "\"\(InternalDate.format(date))\"") }
        }
        if let envelope = fetch.envelope {
            items.append {
                $0.item("ENVELOPE", "")
                $0.envelope(envelope)
            }
        }
        if let structure = fetch.bodyStructure {
            items.append {
                $0.item("BODYSTRUCTURE", "")
                $0.structure(structure)
            }
        }
        if let labels = fetch.gmailLabels {
            items.append {
                $0.item("X-GM-LABELS", "")
                $0.list(labels) { $0.string($1) }
            }
        }
        for case let section in fetch.sections {
            guard case .bytes(let buffer) = section.content else { continue }
            items.append {
                $0.item("BODY[\(section.name)]" + (section.origin.map { "<\($0)>" } ?? ""), "")
                $0.string(Array(buffer.readableBytesView))
            }
        }
        for (index, item) in items.shuffled(using: &random).enumerated() {
            if index > 0 { text(" ") }
            item(&self)
        }
        text(")\r\n")
    }

    private mutating func item(_ name: String, _ value: String) {
        keyword(name)
        text(" " + value)
    }
}

/// Values for a server to say.
private struct Generator {
    var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func number() -> UInt64 { random.next() }
    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
    mutating func maybe() -> Bool { Bool.random(using: &random) }

    mutating func string(_ longest: Int = 12) -> [UInt8] {
        let alphabet = bytes("ab \"\\(){}[]<>*%+~:,NIL0-\r\n\tü@=?") + [0x80, 0xFF]
        return (0..<below(longest)).compactMap { _ in alphabet.randomElement(using: &random) }
    }

    mutating func word() -> String {
        let letters = Array("abcdefghij-_")
        return "x" + String((0..<below(8)).compactMap { _ in letters.randomElement(using: &random) })
    }

    mutating func nstring() -> [UInt8]? { maybe() ? string() : nil }

    mutating func addresses() -> [EnvelopeAddress] {
        (0..<below(4)).map { _ in
            switch below(6) {
            case 0: EnvelopeAddress(kind: .groupStart, mailbox: bytes("g") + string(5))
            case 1: EnvelopeAddress(kind: .groupEnd)
            default:
                EnvelopeAddress(
                    name: nstring(), mailbox: bytes("m") + string(5), host: bytes("h") + string(5))
            }
        }
    }

    mutating func envelope() -> Envelope {
        var envelope = Envelope()
        envelope.date = nstring()
        envelope.subject = nstring()
        envelope.from = addresses()
        envelope.sender = addresses()
        envelope.replyTo = addresses()
        envelope.to = addresses()
        envelope.cc = addresses()
        envelope.bcc = addresses()
        envelope.inReplyTo = nstring()
        envelope.messageID = nstring()
        return envelope
    }

    mutating func parameters() -> [BodyParameter] {
        (0..<below(3)).map { _ in BodyParameter(name: word(), value: string()) }
    }

    /// A structure of some depth, with its sections numbered by the rule of RFC 3501 §6.4.5.
    mutating func structure() -> BodyStructure {
        var parts: [BodyPart] = []
        add(to: &parts, parent: nil, depth: 0)
        return BodyStructure(parts: parts)
    }

    private mutating func add(to parts: inout [BodyPart], parent: Int?, depth: Int) {
        let index = parts.count
        let kind = depth > 3 ? 0 : below(5)
        var part =
            switch kind {
            case 3: BodyPart(section: "", parent: parent, type: "multipart", subtype: word())
            case 4: BodyPart(section: "", parent: parent, type: "message", subtype: "rfc822")
            default: BodyPart(section: "", parent: parent, type: kind == 0 ? "text" : word(), subtype: word())
            }
        fill(&part)
        part.section = section(part, parent, parts)
        if let parent { parts[parent].children.append(index) }
        parts.append(part)
        if kind == 3 {
            for _ in 0...below(3) { add(to: &parts, parent: index, depth: depth + 1) }
        } else if kind == 4 {
            add(to: &parts, parent: index, depth: depth + 1)
        }
    }

    private mutating func fill(_ part: inout BodyPart) {
        part.parameters = parameters()
        if maybe() { part.disposition = BodyDisposition(type: word(), parameters: parameters()) }
        part.languages = (0..<below(3)).map { _ in word() }
        part.location = nstring()
        guard part.type != "multipart" else { return }
        part.contentID = nstring()
        part.description = nstring()
        part.encoding = word()
        part.size = UInt64(below(1_000_000))
        part.md5 = nstring()
        if part.type == "text" || part.isMessage { part.lines = UInt64(below(1_000)) }
        if part.isMessage { part.envelope = envelope() }
    }

    private func section(_ part: BodyPart, _ parent: Int?, _ parts: [BodyPart]) -> String {
        let isMultipart = part.type == "multipart"
        guard let parent else { return isMultipart ? "" : "1" }
        let above = parts[parent].section
        let prefix = above.isEmpty ? "" : above + "."
        if parts[parent].type == "multipart" { return prefix + "\(parts[parent].children.count + 1)" }
        return isMultipart ? above : prefix + "1"
    }

    mutating func fetch() -> FetchResponse {
        var fetch = FetchResponse(sequenceNumber: UInt32(below(1_000)) + 1)
        if maybe() { fetch.uid = UInt32(below(1_000_000)) + 1 }
        if maybe() { fetch.flags = (0..<below(4)).map { _ in (maybe() ? "\\" : "") + word() } }
        if maybe() { fetch.size = random.next() % 1_000_000_000 }
        if maybe() { fetch.modSeq = random.next() % (1 << 63) + 1 }
        if maybe() { fetch.internalDate = Int64(below(2_000_000_000)) }
        if maybe() { fetch.envelope = envelope() }
        if maybe() { fetch.bodyStructure = structure() }
        if maybe() { fetch.gmailLabels = (0..<below(4)).map { _ in string() } }
        if maybe() {
            let body = ByteBuffer(bytes: string(200))
            fetch.sections = [BodySection(name: "1.MIME", origin: maybe() ? 5 : nil, content: .bytes(body))]
        }
        return fetch
    }

    private mutating func set() -> UIDSet {
        UIDSet((0...below(20)).map { _ in UInt32(below(100)) + 1 })
    }

    mutating func response(_ writer: inout ResponseWriter) -> Response {
        switch below(7) {
        case 0:
            let set = set()
            let earlier = maybe()
            writer.text("* ")
            writer.keyword("VANISHED")
            writer.text("\(earlier ? " (EARLIER)" : "") \(set)\r\n")
            return .vanished(set, isEarlier: earlier)
        case 1:
            let flags = (0..<below(6)).map { _ in word() }
            writer.text("* FLAGS (\(flags.joined(separator: " ")))\r\n")
            return .flags(flags)
        case 2: return list(&writer)
        case 3: return status(&writer)
        case 4: return esearch(&writer)
        case 5:
            let roots = (0..<below(3)).map { _ in string() }
            let mailbox = string()
            writer.text("* QUOTAROOT ")
            writer.string(mailbox)
            for root in roots {
                writer.text(" ")
                writer.string(root)
            }
            writer.text("\r\n")
            return .quotaRoot(mailbox: mailbox, roots: roots)
        default:
            let numbers = (0..<below(30)).map { _ in UInt32(below(100_000)) + 1 }
            writer.text("* SEARCH " + numbers.map(String.init).joined(separator: " ") + "\r\n")
            return .search(numbers, highestModSeq: nil)
        }
    }

    private mutating func list(_ writer: inout ResponseWriter) -> Response {
        var listed = ListResponse(
            attributes: (0..<below(3)).map { _ in "\\" + word() }, delimiter: maybe() ? 0x2F : nil,
            name: string())
        if maybe() { listed.oldName = bytes("o") + string() }
        writer.text("* ")
        writer.keyword("LIST")
        writer.text(" (\(listed.attributes.joined(separator: " "))) ")
        writer.nstring(listed.delimiter.map { [$0] })
        writer.text(" ")
        writer.string(listed.name)
        if let oldName = listed.oldName {
            writer.text(" (\"OLDNAME\" (")
            writer.string(oldName)
            writer.text("))")
        }
        writer.text("\r\n")
        return .list(listed)
    }

    private mutating func status(_ writer: inout ResponseWriter) -> Response {
        var status = MailboxStatus(name: string())
        status.messages = UInt32(below(1_000))
        status.size = random.next() % 1_000_000
        status.mailboxID = word()
        writer.text("* STATUS ")
        writer.string(status.name)
        writer.text(" (MESSAGES \(status.messages ?? 0) MAILBOXID (\(status.mailboxID ?? "")) SIZE ")
        writer.number(status.size)
        writer.text(")\r\n")
        return .mailboxStatus(status)
    }

    private mutating func esearch(_ writer: inout ResponseWriter) -> Response {
        var result = ESearchResponse()
        result.tag = CommandTag(rawValue: "A\(below(1_000))")
        result.isUID = true
        let set = set()
        result.all = set
        result.count = UInt32(set.count)
        writer.text("* ESEARCH (TAG \"\(result.tag?.rawValue ?? "")\") UID ")
        writer.text(maybe() ? "ALL \(set) COUNT \(set.count)\r\n" : "COUNT \(set.count) ALL \(set)\r\n")
        return .esearch(result)
    }
}

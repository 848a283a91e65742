import IMAPProtocol
import NIOCore

/// FETCH with its items in any order.
extension Writer {
    mutating func fetch() -> Untagged {
        var fetch = FetchResponse(sequenceNumber: source.number32())
        write("* \(fetch.sequenceNumber) ")
        keyword("FETCH")
        write(" (")
        var left = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
        for place in 0...source.below(8) {
            if place > 0 { write(" ") }
            item(left.remove(at: source.below(left.count)), &fetch)
        }
        write(")\r\n")
        return .fetch(fetch)
    }

    private mutating func item(_ kind: Int, _ fetch: inout FetchResponse) {
        switch kind {
        case 0:
            keyword("UID")
            fetch.uid = number()
        case 1:
            keyword("FLAGS")
            write(" ")
            fetch.flags = flags()
        case 2:
            keyword("RFC822.SIZE")
            fetch.size = number64()
        case 3: modSeq(&fetch)
        case 4: internalDate(&fetch)
        case 5:
            keyword("ENVELOPE")
            write(" ")
            fetch.envelope = envelope()
        case 6: structure(&fetch)
        case 7: labels(&fetch)
        case 8: objectIDs(&fetch)
        case 9:
            keyword("X-GM-MSGID")
            fetch.gmailMessageID = number64()
        case 10:
            keyword("X-GM-THRID")
            fetch.gmailThreadID = number64()
        case _: sections(&fetch)
        }
    }

    private mutating func number() -> UInt32 {
        let number = source.positive()
        write(" \(number)")
        return number
    }

    private mutating func number64() -> UInt64 {
        let number = source.number64()
        write(" \(number)")
        return number
    }

    private mutating func modSeq(_ fetch: inout FetchResponse) {
        let number = max(1, source.number64())
        keyword("MODSEQ")
        write(" (\(number))")
        fetch.modSeq = number
    }

    /// In the server's own zone, the first days of a month with a blank.
    private mutating func internalDate(_ fetch: inout FetchResponse) {
        let time = Int64(source.number32())
        let minutes = Int64(source.below(27) - 13) * 60 + Int64(source.below(2) * 30)
        var local = InternalDate.format(time + minutes * 60).dropLast(5)
        if local.first == "0" { local = " " + local.dropFirst() }
        let size = abs(minutes)
        let digits = String(10_000 + size / 60 * 100 + size % 60).dropFirst()
        keyword("INTERNALDATE")
        write(" \"\(local)\(minutes < 0 ? "-" : "+")\(digits)\"")
        fetch.internalDate = time
    }

    private mutating func labels(_ fetch: inout FetchResponse) {
        let labels = source.list(4) { $0.octets(12) }
        keyword("X-GM-LABELS")
        write(" ")
        list(labels) { $0.string($1) }
        fetch.gmailLabels = labels
    }

    private mutating func objectIDs(_ fetch: inout FetchResponse) {
        let email = source.word()
        keyword("EMAILID")
        write(" (\(email)) ")
        keyword("THREADID")
        write(" ")
        fetch.emailID = email
        fetch.threadID = source.maybe() ? source.word() : nil
        if let thread = fetch.threadID { write("(\(thread))") } else { keyword("NIL") }
    }

    private mutating func sections(_ fetch: inout FetchResponse) {
        let names = ["", "HEADER", "TEXT", "1", "2.3.MIME", "HEADER.FIELDS (SUBJECT \"X-A ]\")"]
        for place in 0...source.below(3) {
            if place > 0 { write(" ") }
            var section = BodySection(name: names[source.below(names.count)], content: .missing)
            keyword("BODY")
            write("[\(section.name)]")
            if source.maybe() {
                let origin = source.number32()
                section.origin = origin
                write("<\(origin)>")
            }
            write(" ")
            let content = source.maybe() ? source.octets(200) : nil
            nstring(content)
            if let content { section.content = .bytes(ByteBuffer(bytes: content)) }
            fetch.sections.append(section)
        }
    }

    // MARK: Envelopes

    mutating func envelope() -> Envelope {
        var envelope = Envelope()
        write("(")
        envelope.date = field()
        envelope.subject = field()
        envelope.from = addresses()
        envelope.sender = addresses()
        envelope.replyTo = addresses()
        envelope.to = addresses()
        envelope.cc = addresses()
        envelope.bcc = addresses()
        envelope.inReplyTo = field()
        let id = source.optional()
        nstring(id)
        envelope.messageID = id
        write(")")
        return envelope
    }

    private mutating func field() -> [UInt8]? {
        let value = source.optional()
        nstring(value)
        write(" ")
        return value
    }

    private mutating func addresses() -> [EnvelopeAddress] {
        let addresses = source.list(3) { source -> EnvelopeAddress in
            switch source.below(4) {
            case 0: EnvelopeAddress(kind: .groupStart, mailbox: source.octets(12))
            case 1: EnvelopeAddress(kind: .groupEnd)
            case _:
                // A letter first, so that it is none of the words that servers put where they found nothing.
                EnvelopeAddress(
                    name: source.optional(), mailbox: [0x6D] + source.octets(12),
                    host: [0x68] + source.octets(12))
            }
        }
        nlist(addresses, separator: "") { writer, address in
            writer.list([address.name, nil, address.mailbox, address.host]) { $0.nstring($1) }
        }
        write(" ")
        return addresses
    }
}

import IMAPProtocol

/// One response of each kind: written, and what it means.
extension Writer {
    mutating func response() -> Response {
        let kind = source.below(14)
        return kind == 1 ? tagged() : .untagged(untagged(kind))
    }

    private mutating func untagged(_ kind: Int) -> Untagged {
        switch kind {
        case 0: return fetch()
        case 2:
            write("* ")
            return .status(status([.ok, .no, .bad, .bye, .preauth]))
        case 3: return list()
        case 4: return mailboxStatus()
        case 5: return search()
        case 6: return esearch()
        case 7: return vanished()
        case 8: return capabilities()
        case 9: return identity()
        case 10: return namespace()
        case 11: return quota()
        case 12: return quotaRoot()
        case _: return counts()
        }
    }

    private mutating func start(_ name: String) {
        write("* ")
        keyword(name)
    }

    // MARK: Numbers and flags

    private mutating func counts() -> Untagged {
        let number = source.number32()
        let kind = source.below(4)
        guard kind < 3 else {
            start("FLAGS")
            write(" ")
            let flags = flags()
            write("\r\n")
            return .flags(flags)
        }
        write("* \(number) ")
        keyword(["EXISTS", "RECENT", "EXPUNGE"][kind])
        write("\r\n")
        return [.exists(number), .recent(number), .expunge(number)][kind]
    }

    private mutating func vanished() -> Untagged {
        start("VANISHED")
        let earlier = source.maybe()
        if earlier {
            write(" (")
            keyword("EARLIER")
            write(")")
        }
        let set = set()
        write(" \(set)\r\n")
        return .vanished(VanishedUIDs(set, isEarlier: earlier))
    }

    private mutating func search() -> Untagged {
        start("SEARCH")
        let numbers = source.list(20) { $0.positive() }
        for number in numbers { write(" \(number)") }
        let modSeq: UInt64? = source.maybe() ? source.number64() : nil
        if let modSeq {
            write(" (")
            keyword("MODSEQ")
            write(" \(modSeq))")
        }
        write("\r\n")
        return .search(SearchResponse(numbers, highestModSeq: modSeq))
    }

    private mutating func esearch() -> Untagged {
        var found = ESearchResponse()
        start("ESEARCH")
        if source.maybe() {
            let tag = source.word()
            write(" (")
            keyword("TAG")
            write(" \"\(tag)\")")
            found.tag = CommandTag(rawValue: tag)
        }
        found.isUID = source.maybe()
        if found.isUID { item("UID") }
        for _ in 0..<source.below(6) { esearchItem(&found) }
        write("\r\n")
        return .esearch(found)
    }

    private mutating func item(_ name: String) {
        write(" ")
        keyword(name)
    }

    private mutating func esearchItem(_ found: inout ESearchResponse) {
        switch source.below(6) {
        case 0 where found.all == nil:
            item("ALL")
            let set = set()
            write(" \(set)")
            found.all = set
        case 1 where found.count == nil: found.count = count("COUNT")
        case 2 where found.min == nil: found.min = count("MIN")
        case 3 where found.max == nil: found.max = count("MAX")
        case 4 where found.highestModSeq == nil:
            let number = source.number64()
            item("MODSEQ")
            write(" \(number)")
            found.highestModSeq = number
        case 5 where found.partial == nil:
            item("PARTIAL")
            let set = source.maybe() ? set() : UIDSet()
            write(set.isEmpty ? " (1:500 NIL)" : " (-1:-500 \(set))")
            found.partial = set
        case _: break
        }
    }

    private mutating func count(_ name: String) -> UInt32 {
        let number = source.number32()
        item(name)
        write(" \(number)")
        return number
    }

    // MARK: Mailboxes

    private mutating func list() -> Untagged {
        start(["LIST", "LSUB", "XLIST"][source.below(3)])
        write(" ")
        let attributes = source.list(4) { "\\" + $0.word() }
        list(attributes) { $0.write($1) }
        write(" ")
        let delimiter = delimiter()
        write(" ")
        var listed = ListResponse(attributes: attributes, delimiter: delimiter, name: source.octets())
        if source.maybe() {
            listed.name = Array(source.word().utf8)
            write(listed.name)
        } else {
            string(listed.name)
        }
        if source.maybe() { listExtension(&listed) }
        write("\r\n")
        return .list(listed)
    }

    private mutating func listExtension(_ listed: inout ListResponse) {
        let info = source.list(2) { $0.word().uppercased() }
        let old = source.octets()
        write(" (")
        string("CHILDINFO")
        write(" ")
        list(info) { $0.string($1) }
        write(" ")
        string("OLDNAME")
        write(" ")
        list([old]) { $0.string($1) }
        write(")")
        listed.childInfo = info
        listed.oldName = old
    }

    private mutating func mailboxStatus() -> Untagged {
        start("STATUS")
        write(" ")
        var status = MailboxStatus(name: source.octets())
        string(status.name)
        write(" (")
        keyword("MESSAGES")
        status.messages = source.number32()
        write(" \(status.messages ?? 0)")
        if source.maybe() { status.uidNext = count("UIDNEXT") }
        if source.maybe() { status.uidValidity = count("UIDVALIDITY") }
        if source.maybe() { status.unseen = count("UNSEEN") }
        if source.maybe() { status.recent = count("RECENT") }
        if source.maybe() { status.deleted = count("DELETED") }
        if source.maybe() { status.size = count64("SIZE") }
        if source.maybe() { status.appendLimit = count64("APPENDLIMIT") }
        if source.maybe() { status.highestModSeq = count64("HIGHESTMODSEQ") }
        if source.maybe() {
            let id = source.word()
            item("MAILBOXID")
            write(" (\(id))")
            status.mailboxID = id
        }
        write(")\r\n")
        return .mailboxStatus(status)
    }

    private mutating func count64(_ name: String) -> UInt64 {
        let number = max(1, source.number64())
        item(name)
        write(" \(number)")
        return number
    }

    private mutating func namespace() -> Untagged {
        start("NAMESPACE")
        var all: [[NamespaceResponse.Entry]] = []
        for _ in 0..<3 {
            write(" ")
            let prefixes = source.list(2) { $0.octets(12) }
            var entries: [NamespaceResponse.Entry] = []
            nlist(prefixes, separator: "") { writer, prefix in
                writer.write("(")
                writer.string(prefix)
                writer.write(" ")
                entries.append(.init(prefix: prefix, delimiter: writer.delimiter()))
                writer.write(")")
            }
            all.append(entries)
        }
        write("\r\n")
        return .namespace(NamespaceResponse(personal: all[0], otherUsers: all[1], shared: all[2]))
    }

    private mutating func quota() -> Untagged {
        start("QUOTA")
        write(" ")
        let root = source.octets()
        string(root)
        write(" ")
        let resources = source.list(3) {
            QuotaResponse.Resource(name: $0.word().uppercased(), usage: $0.number64(), limit: $0.number64())
        }
        list(resources) { $0.write("\($1.name) \($1.usage) \($1.limit)") }
        write("\r\n")
        return .quota(QuotaResponse(root: root, resources: resources))
    }

    private mutating func quotaRoot() -> Untagged {
        start("QUOTAROOT")
        write(" ")
        let mailbox = source.octets()
        string(mailbox)
        let roots = source.list(3) { $0.octets() }
        for root in roots {
            write(" ")
            string(root)
        }
        write("\r\n")
        return .quotaRoot(QuotaRootResponse(mailbox: mailbox, roots: roots))
    }

    private mutating func identity() -> Untagged {
        start("ID")
        write(" ")
        let fields = source.list(4) { source in
            IDField(name: source.sentence(), value: source.maybe() ? source.sentence() : nil)
        }
        nlist(fields) { writer, field in
            writer.string(field.name)
            writer.write(" ")
            writer.nstring(field.value.map { Array($0.utf8) })
        }
        write("\r\n")
        return .id(fields)
    }
}

/// Interprets the nodes of an ENVELOPE, even in the wrong forms of some servers. RFC 3501 §7.4.2.
struct StructureReader {
    let tree: ValueTree
    let limits: ResponseLimits
    private(set) var quirks: [Quirk] = []

    init(_ tree: ValueTree, limits: ResponseLimits) {
        self.tree = tree
        self.limits = limits
    }

    mutating func note(_ quirk: Quirk) { quirks.append(quirk) }

    // MARK: Envelope

    /// The envelope that begins at this node; nil: the node is not an envelope.
    mutating func envelope(at root: Int) -> Envelope? {
        let fields = tree.children(of: root)
        guard !fields.isEmpty else {
            note(.nilStructure)
            return nil
        }
        if fields.count < 10 { note(.shortEnvelope) }
        // With fewer fields, it is unclear which field is which.
        guard fields.count >= 8 else { return nil }
        func field(_ index: Int) -> Int? { index < fields.count ? fields[index] : nil }
        var envelope = Envelope()
        envelope.date = string(field(0))
        envelope.subject = string(field(1))
        envelope.from = addresses(field(2))
        envelope.sender = addresses(field(3))
        envelope.replyTo = addresses(field(4))
        envelope.to = addresses(field(5))
        envelope.cc = addresses(field(6))
        envelope.bcc = addresses(field(7))
        envelope.inReplyTo = string(field(8))
        envelope.messageID = string(field(9))
        return envelope
    }

    private mutating func addresses(_ node: Int?) -> [EnvelopeAddress] {
        guard let node, tree.nodes[node].kind == .list else { return [] }
        let children = tree.children(of: node)
        if children.isEmpty { note(.emptyAddressList) }
        return children.compactMap { address($0) }
    }

    private mutating func address(_ node: Int) -> EnvelopeAddress? {
        let fields = tree.children(of: node)
        guard fields.count >= 4 else {
            note(.malformedAddress)
            return nil
        }
        let name = string(fields[0])
        let mailbox = string(fields[2])
        let host = string(fields[3])
        switch (mailbox, host) {
        case (nil, nil):
            return EnvelopeAddress(kind: .groupEnd, name: name)
        case (let mailbox?, nil):
            if let name, let found = Self.angleAddress(in: name) {
                note(.swappedAddress)
                return EnvelopeAddress(name: mailbox, mailbox: found.mailbox, host: found.host)
            }
            return EnvelopeAddress(kind: .groupStart, name: name, mailbox: mailbox)
        case (_, _?):
            return EnvelopeAddress(name: name, mailbox: real(mailbox), host: real(host))
        }
    }

    /// nil: a word that servers write in place of a missing value.
    private mutating func real(_ part: [UInt8]?) -> [UInt8]? {
        guard let part else { return nil }
        switch part.uppercasedWord {
        case "MISSING_MAILBOX", "MISSING_DOMAIN", ".MISSING-HOST-NAME.", ".SYNTAX-ERROR.",
            "MISSING_MAILBOX_TERMINATOR":
            note(.placeholderAddress)
            return nil
        default:
            return part
        }
    }

    /// `Calendar <a@b>`: the address in the brackets at the end.
    private static func angleAddress(in name: [UInt8]) -> (mailbox: [UInt8], host: [UInt8])? {
        guard name.last == UInt8(ascii: ">"), let open = name.lastIndex(of: UInt8(ascii: "<")) else {
            return nil
        }
        let inner = name[(open + 1)..<(name.count - 1)]
        guard let at = inner.lastIndex(of: UInt8(ascii: "@")), at > inner.startIndex, at < inner.endIndex - 1
        else { return nil }
        return (Array(inner[..<at]), Array(inner[(at + 1)...]))
    }

    // MARK: Small values

    /// The bytes of a string or word; nil for NIL, for a list, and for nothing.
    func string(_ node: Int?) -> [UInt8]? {
        guard let node else { return nil }
        switch tree.nodes[node].kind {
        case .null, .list: return nil
        case .atom, .string: return Array(tree.bytes(node))
        }
    }

    /// A short word in lower case; empty for none.
    func word(_ node: Int?) -> String {
        guard let node else { return "" }
        return tree.bytes(node).prefix(255).lowercasedWord
    }

    func kind(_ node: Int?) -> ValueTree.Node.Kind? { node.map { tree.nodes[$0].kind } }

    /// Whether a count is here, in any spelling.
    func isNumber(_ node: Int?) -> Bool {
        guard let node else { return false }
        var bytes = tree.bytes(node)
        if bytes.first == .minus { bytes = bytes.dropFirst() }
        return !bytes.isEmpty && bytes.allSatisfy(\.isDigit)
    }

    /// A count; nil when it is negative, too great, or the -1 of a server that forgot the sign.
    mutating func number(_ node: Int) -> UInt64? {
        let bytes = tree.bytes(node)
        if bytes.first == .minus {
            note(.negativeNumber)
            return nil
        }
        if tree.nodes[node].kind == .string { note(.quotedNumber) }
        guard bytes.count <= 19 else { return nil }
        let value = bytes.reduce(UInt64(0)) { $0 * 10 + UInt64($1 &- 0x30) }
        guard value != UInt64(UInt32.max) else {
            note(.wrappedNumber)
            return nil
        }
        return value
    }
}

import TestSupport

@testable import IMAPProtocol

/// Writes responses as a server by the letter would: what the parser must read back as the same value.
///
/// Strings take any of their three forms at random, words in any case, so that the reader gets no hints.
struct ResponseWriter {
    var random: SeededGenerator
    private(set) var bytes: [UInt8] = []

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func text(_ text: String) { bytes += Array(text.utf8) }

    /// A keyword in random case.
    mutating func keyword(_ word: String) {
        bytes += word.utf8.map { Bool.random(using: &random) ? $0 | ($0.isLetter ? 0x20 : 0) : $0 }
    }

    mutating func nstring(_ value: [UInt8]?) {
        guard let value else { return keyword("NIL") }
        string(value)
    }

    mutating func string(_ value: [UInt8]) {
        let canQuote = value.allSatisfy { $0 != 0x0D && $0 != 0x0A && $0 != 0 }
        if canQuote, Int.random(in: 0..<4, using: &random) > 0 {
            bytes.append(.quote)
            for byte in value {
                if byte == .quote || byte == .backslash { bytes.append(.backslash) }
                bytes.append(byte)
            }
            bytes.append(.quote)
        } else {
            text(Bool.random(using: &random) ? "{\(value.count)}\r\n" : "~{\(value.count)+}\r\n")
            bytes += value
        }
    }

    /// Items with spaces between them, in parentheses.
    mutating func list<Item>(_ items: [Item], separator: String = " ", _ write: (inout Self, Item) -> Void) {
        text("(")
        for (index, item) in items.enumerated() {
            if index > 0 { text(separator) }
            write(&self, item)
        }
        text(")")
    }

    mutating func nlist<Item>(_ items: [Item], separator: String = " ", _ write: (inout Self, Item) -> Void) {
        if items.isEmpty { keyword("NIL") } else { list(items, separator: separator, write) }
    }

    mutating func number(_ value: UInt64?) { text(value.map(String.init) ?? "0") }

    // MARK: Structures

    mutating func envelope(_ envelope: Envelope) {
        text("(")
        nstring(envelope.date)
        text(" ")
        nstring(envelope.subject)
        for list in [
            envelope.from, envelope.sender, envelope.replyTo, envelope.to, envelope.cc, envelope.bcc,
        ] {
            text(" ")
            nlist(list, separator: "") { $0.address($1) }
        }
        text(" ")
        nstring(envelope.inReplyTo)
        text(" ")
        nstring(envelope.messageID)
        text(")")
    }

    private mutating func address(_ address: EnvelopeAddress) {
        list([address.name, nil, address.mailbox, address.host]) { $0.nstring($1) }
    }

    mutating func structure(_ structure: BodyStructure, at index: Int = 0) {
        let part = structure.parts[index]
        text("(")
        if part.type == "multipart" {
            for child in part.children { self.structure(structure, at: child) }
            text(" ")
            string(Array(part.subtype.utf8))
            text(" ")
            parameters(part.parameters)
        } else {
            single(part, structure)
        }
        text(" ")
        disposition(part.disposition)
        text(" ")
        nlist(part.languages) { $0.string(Array($1.utf8)) }
        text(" ")
        nstring(part.location)
        text(")")
    }

    private mutating func single(_ part: BodyPart, _ structure: BodyStructure) {
        string(Array(part.type.utf8))
        text(" ")
        string(Array(part.subtype.utf8))
        text(" ")
        parameters(part.parameters)
        text(" ")
        nstring(part.contentID)
        text(" ")
        nstring(part.description)
        text(" ")
        string(Array(part.encoding.utf8))
        text(" ")
        number(part.size)
        if part.isMessage, let envelope = part.envelope, let body = part.children.first {
            text(" ")
            self.envelope(envelope)
            text(" ")
            self.structure(structure, at: body)
        }
        if part.isMessage || part.type == "text" {
            text(" ")
            number(part.lines)
        }
        text(" ")
        nstring(part.md5)
    }

    private mutating func parameters(_ parameters: [BodyParameter]) {
        nlist(parameters) { writer, parameter in
            writer.string(Array(parameter.name.utf8))
            writer.text(" ")
            writer.string(parameter.value)
        }
    }

    private mutating func disposition(_ disposition: BodyDisposition?) {
        guard let disposition else { return keyword("NIL") }
        text("(")
        string(Array(disposition.type.utf8))
        text(" ")
        parameters(disposition.parameters)
        text(")")
    }
}

public import Models

/// The link from a task to its mail: a `mid:` URL, and the line of the notes that shows it. RFC 2392 §2.
///
/// It is `mid:` and the percent-encoded Message-ID without angle brackets; a content id may follow after a slash. Links
/// with brackets, blanks or unencoded ids are accepted, because other programs write them.
public enum MailLink {
    static let notePrefix = "Mail: "

    /// `mid:abc%2Fdef@example.org`.
    public static func url(_ id: MessageID) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded = Array("mid:".utf8)
        for byte in id.rawValue.utf8 {
            if isPlain(byte) {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// The last line of a mail-born task's notes.
    public static func note(_ id: MessageID) -> String { "\(notePrefix)<\(url(id))>" }

    /// The Message-ID of a `mid:` URL, nil for any other text.
    public static func messageID(url text: String) -> MessageID? {
        let bytes = Array(text.utf8).drop { $0 == UInt8(ascii: "<") || $0 == 0x20 }
        guard isScheme(bytes) else { return nil }
        let encoded = bytes.dropFirst(4).prefix { !"/?># \t\r\n\"".utf8.contains($0) }
        return messageID(String(decoding: decoded(encoded), as: UTF8.self))
    }

    /// The Message-ID of the last `mid:` in the notes of a task. The line with the state of a wait does not count: it may
    /// name the answer.
    public static func messageID(notes: String) -> MessageID? {
        guard notes.contains(Todo.waitMark) else { return lastMessageID(notes) }
        let lines = notes.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix(Todo.waitMark) }
        return lastMessageID(lines.joined(separator: "\n"))
    }

    private static func lastMessageID(_ text: String) -> MessageID? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 5 else { return nil }
        for index in stride(from: bytes.count - 5, through: 0, by: -1) {
            guard isScheme(bytes[index...]), index == 0 || !isWord(bytes[index - 1]) else { continue }
            let token = bytes[index...].prefix { $0 > 0x20 && $0 != UInt8(ascii: ">") }
            if let id = messageID(url: String(decoding: token, as: UTF8.self)) { return id }
        }
        return nil
    }

    /// A Message-ID as a person or program wrote it, without brackets; nil when it cannot be one.
    static func messageID(_ text: String) -> MessageID? {
        var trimmed = text[...]
        while let first = trimmed.first, first == "<" || first == " " { trimmed.removeFirst() }
        while let last = trimmed.last, last == ">" || last == " " { trimmed.removeLast() }
        guard !trimmed.isEmpty, trimmed.utf8.count <= 998,
            trimmed.unicodeScalars.allSatisfy({ $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
        else { return nil }
        return MessageID(String(trimmed))
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        isWord(byte) || "-._~@$+=!*".utf8.contains(byte)
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case _: false
        }
    }

    private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count > 4 && bytes.prefix(4).elementsEqual("mid:".utf8) { $0 | 0x20 == $1 | 0x20 }
    }

    private static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var plain: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let high = nibble(rest.first),
                let low = nibble(rest.dropFirst().first)
            {
                plain.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                plain.append(byte)
            }
        }
        return plain
    }

    private static func nibble(_ digit: UInt8?) -> UInt8? {
        switch digit {
        case .some(let byte) where (0x30...0x39).contains(byte): byte - 0x30
        case .some(let byte) where (0x41...0x46).contains(byte & 0xDF): (byte & 0xDF) - 0x37
        case _: nil
        }
    }
}

/// Text from HTML that is too hostile for a tree: tags are skipped, blocks break lines, entities are read.
enum HTMLTokens {
    static func text(of bytes: [UInt8], limit: Int) -> String {
        var writer = TextWriter(limit: limit)
        var tags = HTMLTags(bytes)
        while !writer.isFull, let token = tags.next() {
            switch token {
            case .text(let range): append(bytes[range], to: &writer)
            case .start(let name, _):
                let tag = HTMLLayout.tag(named: bytes[name])
                if HTMLRules.isRawText(tag), HTMLLayout.isSilent(tag) {
                    tags.skipRawText(until: bytes[name])
                } else {
                    writer.begin(HTMLLayout(tag).withoutState)
                }
            case .end(let name): writer.end(HTMLLayout(HTMLLayout.tag(named: bytes[name])).withoutState)
            case .other: break
            }
        }
        return writer.text
    }

    private static func append(_ text: ArraySlice<UInt8>, to writer: inout TextWriter) {
        guard text.contains(UInt8(ascii: "&")) else {
            text.withUnsafeBufferPointer { writer.append($0) }
            return
        }
        decodeEntities(text).withUnsafeBufferPointer { writer.append($0) }
    }

    /// `&amp;`, `&#8364;`, `&#x20AC;`: the handful that text is full of.
    private static func decodeEntities(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            guard text[index] == UInt8(ascii: "&"),
                let end = text[index...].prefix(12).firstIndex(of: ASCII.semicolon),
                let scalar = entity(text[(index + 1)..<end])
            else {
                output.append(text[index])
                index += 1
                continue
            }
            output += Array(String(scalar).utf8)
            index = end + 1
        }
        return output
    }

    private static func entity(_ name: ArraySlice<UInt8>) -> Unicode.Scalar? {
        if name.first == UInt8(ascii: "#") {
            let digits = name.dropFirst()
            let isHex = digits.first.map { $0 | 0x20 } == UInt8(ascii: "x")
            let number = UInt32((isHex ? digits.dropFirst() : digits).text, radix: isHex ? 16 : 10)
            return number.flatMap { $0 == 0 ? nil : Unicode.Scalar($0) }
        }
        return named[name.text]
    }

    private static let named: [String: Unicode.Scalar] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}", "euro": "€",
        "copy": "©",
        "reg": "®", "trade": "™", "hellip": "…", "mdash": "—", "ndash": "–", "lsquo": "‘", "rsquo": "’",
        "ldquo": "“", "rdquo": "”", "bull": "•", "middot": "·", "laquo": "«", "raquo": "»",
        "zwnj": "\u{200C}",
        "shy": "\u{AD}", "auml": "ä", "ouml": "ö", "uuml": "ü", "szlig": "ß", "eacute": "é", "egrave": "è",
        "agrave": "à", "ccedil": "ç",
    ]
}

extension HTMLLayout {
    /// Without a tree there is no telling where a quotation or preformatted text ends.
    fileprivate var withoutState: HTMLLayout {
        switch self {
        case .preformatted, .quote: .block
        case .inline, .lineBreak, .block, .paragraph, .item, .row, .cell, .rule: self
        }
    }
}

/// The charset that HTML names in its own head, for parts whose header names none.
enum HTMLCharset {
    static func declared(in bytes: [UInt8]) -> String? {
        let head = bytes.prefix(1_024).map(\.lowercasedASCII)
        let marker = Array("charset=".utf8)
        guard head.count > marker.count else { return nil }
        for start in 0..<(head.count - marker.count) where head[start] == marker[0] {
            guard head[start...].starts(with: marker) else { continue }
            let value = head[(start + marker.count)...].drop {
                $0 == ASCII.quote || $0 == 0x27 || $0 == ASCII.space
            }
            let name = value.prefix { $0.isToken && $0 != 0x27 }
            return name.isEmpty ? nil : name.text
        }
        return nil
    }
}

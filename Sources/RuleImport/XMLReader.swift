/// A strict reader of XML 1.0: elements, attributes, comments, only the five entities, no DTD.
///
/// It is for Gmail's export. It fetches nothing, expands nothing and does not recurse.
struct XMLReader {
    static let maximumDepth = 32
    static let longestValue = 100_000

    enum Event {
        case start(String, attributes: [String: String], offset: Int)
        case end(String)
    }

    private let source: SourceText
    private var index = 0
    private var open: [(name: String, offset: Int)] = []
    /// The end of an empty element `<a/>`.
    private var pendingEnd: String?
    private var hasRoot = false

    init(_ source: SourceText) { self.source = source }

    /// The next start or end of an element; nil: the end of the document.
    mutating func next() throws(ImportError) -> Event? {
        if let name = pendingEnd {
            pendingEnd = nil
            return .end(name)
        }
        while index < source.bytes.count {
            guard source.bytes[index] == UInt8(ascii: "<") else {
                try text()
                continue
            }
            if starts("<?") {
                try skip(to: "?>", "this instruction is not closed")
            } else if starts("<!--") {
                try skip(to: "-->", "this comment is not closed")
            } else if starts("<![CDATA[") {
                try skip(to: "]]>", "this CDATA section is not closed")
            } else if starts("<!") {
                throw source.error(index, "document types are not supported")
            } else if starts("</") {
                return try end()
            } else {
                return try start()
            }
        }
        if let last = open.last { throw source.error(last.offset, "<\(last.name)> is not closed") }
        guard hasRoot else { throw source.error(0, "this file has no XML element") }
        return nil
    }

    private func starts(_ text: String) -> Bool { source.bytes[index...].starts(with: text.utf8) }

    private mutating func skip(to end: String, _ message: String) throws(ImportError) {
        let start = index
        let bytes = Array(end.utf8)
        while index + bytes.count <= source.bytes.count {
            if source.bytes[index..<(index + bytes.count)].elementsEqual(bytes) {
                index += bytes.count
                return
            }
            index += 1
        }
        throw source.error(start, message)
    }

    /// Text between elements means nothing here; outside of the root there is none.
    private mutating func text() throws(ImportError) {
        while index < source.bytes.count, source.bytes[index] != UInt8(ascii: "<") {
            if open.isEmpty, !isBlank(source.bytes[index]) {
                throw source.error(index, "text outside of XML elements")
            }
            index += 1
        }
    }

    private mutating func end() throws(ImportError) -> Event {
        let start = index
        index += 2
        let name = try name()
        skipBlanks()
        try take(">", "'</\(name)' is not closed by '>'")
        guard let last = open.popLast() else { throw source.error(start, "</\(name)> closes nothing") }
        guard last.name == name else {
            throw source.error(start, "</\(name)> closes <\(last.name)> of line \(source.line(last.offset))")
        }
        return .end(name)
    }

    private mutating func start() throws(ImportError) -> Event {
        let start = index
        index += 1
        let name = try name()
        if open.isEmpty, hasRoot { throw source.error(start, "a second element after the first one's end") }
        hasRoot = true
        guard open.count < Self.maximumDepth else {
            throw source.error(start, "nested more than \(Self.maximumDepth) deep")
        }
        var attributes: [String: String] = [:]
        while true {
            skipBlanks()
            guard index < source.bytes.count else {
                throw source.error(start, "<\(name) is not closed by '>'")
            }
            if source.bytes[index] == UInt8(ascii: ">") {
                index += 1
                open.append((name, start))
                break
            }
            if starts("/>") {
                index += 2
                pendingEnd = name
                break
            }
            let place = index
            let key = try self.name()
            skipBlanks()
            try take("=", "'\(key)' has no value")
            skipBlanks()
            guard attributes.count < 100, attributes.updateValue(try value(), forKey: key) == nil else {
                throw source.error(place, "'\(key)' appears twice")
            }
        }
        return .start(name, attributes: attributes, offset: start)
    }

    private mutating func name() throws(ImportError) -> String {
        let start = index
        while index < source.bytes.count, isNameByte(source.bytes[index]) { index += 1 }
        guard index > start, index - start <= 100 else {
            throw source.error(start, "a name was expected here")
        }
        return source.text(start..<index)
    }

    private func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: "."), 0x80...0xFF:
            true
        case _: false
        }
    }

    private func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    private mutating func skipBlanks() {
        while index < source.bytes.count, isBlank(source.bytes[index]) { index += 1 }
    }

    private mutating func take(_ letter: String, _ message: String) throws(ImportError) {
        guard starts(letter) else { throw source.error(min(index, source.bytes.count), message) }
        index += 1
    }

    // MARK: Values

    private mutating func value() throws(ImportError) -> String {
        let start = index
        guard index < source.bytes.count,
            let quote = [UInt8(ascii: "\""), UInt8(ascii: "'")].first(where: { $0 == source.bytes[index] })
        else { throw source.error(index, "a value in quotes was expected here") }
        index += 1
        var bytes: [UInt8] = []
        while true {
            guard index < source.bytes.count else { throw source.error(start, "this value is not closed") }
            guard bytes.count <= Self.longestValue else {
                throw source.error(start, "this value is longer than \(Self.longestValue) bytes")
            }
            switch source.bytes[index] {
            case quote:
                index += 1
                return String(decoding: bytes, as: UTF8.self)
            case UInt8(ascii: "<"): throw source.error(index, "'<' in a value is written &lt;")
            case UInt8(ascii: "&"): bytes += Array(try reference().utf8)
            case let byte:
                bytes.append(byte)
                index += 1
            }
        }
    }

    /// `&amp;`, `&#39;`, `&#x27;`.
    private mutating func reference() throws(ImportError) -> String {
        let start = index
        let rest = source.bytes[(index + 1)...].prefix(12)
        guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else {
            throw source.error(start, "'&' in a value is written &amp;")
        }
        let name = source.text((start + 1)..<end)
        index = end + 1
        let named = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
        if let text = named[name] { return text }
        let number = name.hasPrefix("#x") ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst(1))
        guard name.hasPrefix("#"), let number, number > 0, let scalar = Unicode.Scalar(number) else {
            throw source.error(
                start, "'&\(SourceText.oneLine(name));' is not one of the five entities of XML")
        }
        return String(scalar)
    }
}

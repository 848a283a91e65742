/// Reads the XML of configuration files: elements with their attributes and texts, in order.
///
/// It fetches nothing, expands only the five entities and character numbers, and refuses document types. Depth, number
/// of elements and length of texts are limited. Reading ends at malformed text.
struct XMLText {
    enum Event: Equatable {
        case start(String, attributes: [String: String])
        case text(String)
        case end(String)
    }

    struct Malformed: Error {}

    static let maximumDepth = 32
    static let maximumEvents = 10_000
    static let longestText = 4096

    private let bytes: [UInt8]
    private var index = 0
    private var depth = 0
    private var count = 0
    private var pendingEnd: String?

    init(_ bytes: [UInt8]) {
        self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    }

    /// The next event; nil: the end.
    mutating func next() throws(Malformed) -> Event? {
        count += 1
        guard count <= Self.maximumEvents else { throw Malformed() }
        if let name = pendingEnd {
            pendingEnd = nil
            depth -= 1
            return .end(name)
        }
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "<") else {
                let text = try text()
                if text.isEmpty { continue }
                return .text(text)
            }
            if starts("<?") {
                try skip(past: "?>")
            } else if starts("<!--") {
                try skip(past: "-->")
            } else if starts("<!") {
                throw Malformed()
            } else if starts("</") {
                index += 2
                let name = try name()
                skipBlanks()
                try take(UInt8(ascii: ">"))
                depth -= 1
                guard depth >= 0 else { throw Malformed() }
                return .end(name)
            } else {
                return try start()
            }
        }
        guard depth == 0 else { throw Malformed() }
        return nil
    }

    private func starts(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard index + count <= bytes.count else { return false }
        return text.withUTF8Buffer { $0.elementsEqual(bytes[index..<(index + count)]) }
    }

    private mutating func skip(past end: StaticString) throws(Malformed) {
        while index < bytes.count {
            if starts(end) {
                index += end.utf8CodeUnitCount
                return
            }
            index += 1
        }
        throw Malformed()
    }

    private mutating func start() throws(Malformed) -> Event {
        index += 1
        let name = try name()
        depth += 1
        guard depth <= Self.maximumDepth else { throw Malformed() }
        var attributes: [String: String] = [:]
        while true {
            skipBlanks()
            guard index < bytes.count else { throw Malformed() }
            if bytes[index] == UInt8(ascii: ">") {
                index += 1
                return .start(name, attributes: attributes)
            }
            if starts("/>") {
                index += 2
                pendingEnd = name
                return .start(name, attributes: attributes)
            }
            let key = try self.name()
            skipBlanks()
            try take(UInt8(ascii: "="))
            skipBlanks()
            guard attributes.count < 32, attributes.updateValue(try value(), forKey: key) == nil else {
                throw Malformed()
            }
        }
    }

    private mutating func name() throws(Malformed) -> String {
        let start = index
        while index < bytes.count, Self.isName(bytes[index]) { index += 1 }
        guard index > start, index - start <= 100 else { throw Malformed() }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"), UInt8(ascii: "-"),
            UInt8(ascii: "_"), UInt8(ascii: "."), 0x80...0xFF:
            true
        case _: false
        }
    }

    private mutating func take(_ byte: UInt8) throws(Malformed) {
        guard index < bytes.count, bytes[index] == byte else { throw Malformed() }
        index += 1
    }

    private mutating func skipBlanks() {
        while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
    }

    // MARK: Texts

    /// Without blanks at either side.
    private mutating func text() throws(Malformed) -> String {
        var found: [UInt8] = []
        while index < bytes.count, bytes[index] != UInt8(ascii: "<") {
            try append(to: &found)
        }
        let text = String(decoding: found, as: UTF8.self)
        let blank = { (letter: Character) in letter.isWhitespace }
        return String(text.drop(while: blank).reversed().drop(while: blank).reversed())
    }

    private mutating func value() throws(Malformed) -> String {
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'")
        else { throw Malformed() }
        let quote = bytes[index]
        index += 1
        var found: [UInt8] = []
        while index < bytes.count, bytes[index] != quote {
            guard bytes[index] != UInt8(ascii: "<") else { throw Malformed() }
            try append(to: &found)
        }
        try take(quote)
        return String(decoding: found, as: UTF8.self)
    }

    private mutating func append(to found: inout [UInt8]) throws(Malformed) {
        guard found.count < Self.longestText else { throw Malformed() }
        guard bytes[index] == UInt8(ascii: "&") else {
            found.append(bytes[index])
            index += 1
            return
        }
        guard let end = bytes[index...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
            throw Malformed()
        }
        let name = String(decoding: bytes[(index + 1)..<end], as: UTF8.self)
        index = end + 1
        if let known = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"][name] {
            found += known.utf8
            return
        }
        let number = name.hasPrefix("#x") ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst(1))
        guard name.hasPrefix("#"), let number, number > 0, let scalar = Unicode.Scalar(number) else {
            throw Malformed()
        }
        found += String(scalar).utf8
    }
}

/// Parameters of a structured field: `; charset="utf-8"; filename*0*=utf-8''na%C3%AFve`. RFC 2045 §5.1, RFC 2231.
///
/// Read the way mail is written: `;;`, blanks round `=`, values without quotes that should have them,
/// continuations out of order or with gaps, bad percent codes, encoded words inside values.
public struct Parameters: Hashable, Sendable {
    /// Lower-case names, each once, in order.
    public private(set) var names: [String] = []
    private var values: [String: String] = [:]
    /// Whether there were more than the limit.
    private(set) var isCut = false
    /// `boundary` byte for byte: it is compared, never shown.
    private(set) var boundary: [UInt8] = []

    public init() {}

    /// The decoded value of a parameter; the name is lower case. Text from a stranger.
    public subscript(name: String) -> String? { values[name] }

    /// Reads what stands behind the first `;` of a field body.
    init(_ bytes: ArraySlice<UInt8>, limit: Int = MIMELimits.standard.parameters) {
        var reader = ParameterReader(bytes: bytes)
        var pieces: [String: [ParameterPiece]] = [:]
        var order: [String] = []
        var taken = 0
        while let piece = reader.next() {
            guard taken < limit else {
                isCut = true
                break
            }
            taken += 1
            if pieces[piece.name] == nil { order.append(piece.name) }
            pieces[piece.name, default: []].append(piece)
        }
        for name in order {
            guard let found = pieces[name] else { continue }
            names.append(name)
            if name == "boundary" { boundary = ParameterPiece.joinedBytes(found) }
            values[name] = ParameterPiece.text(found)
        }
    }
}

/// One `name*0*=value` as it stands in the field.
struct ParameterPiece {
    var name: String
    /// The number of a continuation.
    var section: Int?
    /// `*` at the end of the name: percent codes, and in the first piece charset and language.
    var isExtended: Bool
    var value: [UInt8]

    /// The value of all pieces of one name. An extended value stands above a plain one, which is
    /// there for programs that cannot read it.
    static func text(_ pieces: [ParameterPiece]) -> String {
        if let whole = pieces.first(where: { $0.section == nil && $0.isExtended }) {
            return extended([whole])
        }
        let continued = sorted(pieces)
        if !continued.isEmpty {
            return continued.contains(where: \.isExtended)
                ? extended(continued) : plain(continued.flatMap(\.value))
        }
        return plain(pieces.first?.value ?? [])
    }

    static func joinedBytes(_ pieces: [ParameterPiece]) -> [UInt8] {
        if let whole = pieces.first(where: { $0.section == nil }) {
            return whole.isExtended ? percentDecoded(afterLanguage(whole.value).bytes) : whole.value
        }
        return sorted(pieces).flatMap(\.value)
    }

    private static func sorted(_ pieces: [ParameterPiece]) -> [ParameterPiece] {
        pieces.filter { $0.section != nil }.sorted { ($0.section ?? 0) < ($1.section ?? 0) }
    }

    private static func plain(_ value: [UInt8]) -> String { EncodedWord.decode(value[...]) }

    private static func extended(_ pieces: [ParameterPiece]) -> String {
        var label: String?
        var bytes: [UInt8] = []
        for (index, piece) in pieces.enumerated() {
            guard piece.isExtended else {
                bytes += piece.value
                continue
            }
            guard index == 0 else {
                bytes += percentDecoded(piece.value[...])
                continue
            }
            let (charset, rest) = afterLanguage(piece.value)
            label = charset
            bytes += percentDecoded(rest)
        }
        return HeaderText.clean(Charset.decode(bytes, label: label))
    }

    /// Takes `utf-8'en'` from the front; a value without it is all text.
    private static func afterLanguage(_ value: [UInt8]) -> (charset: String?, bytes: ArraySlice<UInt8>) {
        let apostrophe = UInt8(ascii: "'")
        guard let first = value.firstIndex(of: apostrophe),
            let second = value[(first + 1)...].firstIndex(of: apostrophe)
        else { return (nil, value[...]) }
        let label = value[..<first]
        return (label.isEmpty ? nil : label.text, value[(second + 1)...])
    }

    private static func percentDecoded(_ value: ArraySlice<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        var index = value.startIndex
        while index < value.endIndex {
            if value[index] == ASCII.percent, index + 2 < value.endIndex,
                let high = value[index + 1].hexValue, let low = value[index + 2].hexValue
            {
                output.append(high << 4 | low)
                index += 3
            } else {
                output.append(value[index])
                index += 1
            }
        }
        return output
    }
}

/// Walks over a field body and hands out one parameter after the other.
struct ParameterReader {
    private let bytes: ArraySlice<UInt8>
    private var index: Int

    init(bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    mutating func next() -> ParameterPiece? {
        while true {
            skipSeparators()
            guard index < bytes.endIndex else { return nil }
            let name = take { $0 != ASCII.equals && $0 != ASCII.semicolon && $0 != ASCII.quote }.trimmed
            guard index < bytes.endIndex, bytes[index] == ASCII.equals else {
                // A word without a value, or a stray quoted string: not ours.
                if index < bytes.endIndex, bytes[index] == ASCII.quote { _ = quoted() }
                continue
            }
            index += 1
            let value = value()
            if let piece = Self.piece(name: name, value: value) { return piece }
        }
    }

    private mutating func skipSeparators() {
        while index < bytes.endIndex {
            if bytes[index] == ASCII.leftParenthesis {
                index = Comment.end(bytes, from: index)
            } else if bytes[index].isBlank || bytes[index] == ASCII.semicolon {
                index += 1
            } else {
                return
            }
        }
    }

    private mutating func take(while condition: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = index
        while index < bytes.endIndex, condition(bytes[index]) { index += 1 }
        return bytes[start..<index]
    }

    private mutating func value() -> [UInt8] {
        while index < bytes.endIndex, bytes[index].isBlank { index += 1 }
        guard index < bytes.endIndex else { return [] }
        if bytes[index] == ASCII.quote { return quoted() }
        // Blanks belong to the value: names are written without their quotes.
        let raw = HeaderText.unfolded(take { $0 != ASCII.semicolon })
        guard let comment = raw.firstIndex(of: ASCII.leftParenthesis), comment > raw.startIndex,
            raw[comment - 1].isBlank, raw.last == ASCII.rightParenthesis,
            !raw[..<comment].trimmed.contains(ASCII.space)
        else { return Array(raw) }
        return Array(raw[..<comment].trimmed)
    }

    /// A quoted string; one without its end goes to the end of the field.
    private mutating func quoted() -> [UInt8] {
        var output: [UInt8] = []
        index += 1
        while index < bytes.endIndex {
            let byte = bytes[index]
            index += 1
            if byte == ASCII.quote { return output }
            if byte == ASCII.backslash, index < bytes.endIndex {
                // Windows paths come unescaped: only what must be escaped is.
                if bytes[index] == ASCII.quote || bytes[index] == ASCII.backslash {
                    output.append(bytes[index])
                    index += 1
                    continue
                }
            }
            if byte == ASCII.cr || byte == ASCII.lf { continue }
            output.append(byte)
        }
        return output
    }

    /// `filename*1*` → filename, 1, extended.
    private static func piece(name: ArraySlice<UInt8>, value: [UInt8]) -> ParameterPiece? {
        var name = name
        var isExtended = false
        if name.last == UInt8(ascii: "*") {
            isExtended = true
            name = name.dropLast()
        }
        var section: Int?
        if let star = name.lastIndex(of: UInt8(ascii: "*")) {
            let digits = name[(star + 1)...]
            guard !digits.isEmpty, digits.count <= 4, digits.allSatisfy(\.isDigit) else { return nil }
            section = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
            name = name[..<star]
        }
        guard !name.isEmpty, name.count <= 128 else { return nil }
        return ParameterPiece(
            name: name.lowercasedText, section: section, isExtended: isExtended, value: value)
    }
}

/// A comment in parentheses, which may nest. RFC 5322 §3.2.2.
enum Comment {
    /// Where the comment that begins at `start` ends; one without its end goes to the end of the field.
    static func end(_ bytes: ArraySlice<UInt8>, from start: Int) -> Int {
        var depth = 0
        var index = start
        while index < bytes.endIndex {
            switch bytes[index] {
            case ASCII.backslash: index += 1
            case ASCII.leftParenthesis: depth += 1
            case ASCII.rightParenthesis:
                depth -= 1
                if depth == 0 { return index + 1 }
            case _: break
            }
            index += 1
        }
        return bytes.endIndex
    }
}

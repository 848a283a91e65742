/// The parameters of a structured field: `; charset="utf-8"; filename*0*=utf-8''na%C3%AFve`. RFC 2045 §5.1, RFC 2231.
///
/// It accepts what occurs in mail: `;;`, blanks around `=`, missing quotes, continuations out of order or with gaps,
/// bad percent codes, and encoded words inside values.
public struct Parameters: Hashable, Sendable {
    private struct Entry: Hashable {
        var name: String
        var value: String
    }

    private var entries: [Entry] = []
    /// Whether there are more parameters than the limit.
    private(set) var isCut = false
    /// The exact bytes of `boundary`, to compare them.
    private(set) var boundary: [UInt8] = []

    public init() {}

    /// The names in lower case, in order and without duplicates.
    public var names: [String] { entries.map(\.name) }

    /// The decoded value of a parameter; the name is lower case. Text from a stranger.
    public subscript(name: String) -> String? { entries.first { $0.name == name }?.value }

    /// Reads the text after the first `;` of a field body.
    init(_ bytes: ArraySlice<UInt8>, limit: Int = MIMELimits.standard.parameters) {
        var reader = ParameterReader(bytes: bytes)
        var pieces: [ParameterPiece] = []
        var isSimple = true
        while let piece = reader.next() {
            guard pieces.count < limit else {
                isCut = true
                break
            }
            isSimple = isSimple && piece.section == nil && !piece.isExtended
            pieces.append(piece)
        }
        for piece in pieces where self[piece.name] == nil {
            if isSimple {
                if piece.name == "boundary" { boundary = Array(piece.value) }
                entries.append(Entry(name: piece.name, value: EncodedWord.decode(piece.value)))
            } else {
                let value = ParameterValue(of: pieces, name: piece.name)
                guard !value.isEmpty else { continue }
                if piece.name == "boundary" { boundary = value.bytes }
                entries.append(Entry(name: piece.name, value: value.text))
            }
        }
    }
}

/// The value of all pieces of one name. An extended value has precedence over a plain one, which is for programs that
/// cannot read it.
private struct ParameterValue {
    private let pieces: [ParameterPiece]
    private let isExtended: Bool

    init(of all: [ParameterPiece], name: String) {
        let named = all.filter { $0.name == name }
        let whole = named.first { $0.section == nil && $0.isExtended && !$0.value.isEmpty }
        let plain = named.first { $0.section == nil && !$0.isExtended }
        let continued = whole == nil ? Self.continued(named) : []
        pieces = whole.map { [$0] } ?? (continued.isEmpty ? plain.map { [$0] } ?? [] : continued)
        isExtended = pieces.contains(where: \.isExtended)
    }

    /// Whether there are only continuations without a beginning.
    var isEmpty: Bool { pieces.isEmpty }

    /// In the order of their numbers, even with gaps; of equal numbers, the first one counts.
    private static func continued(_ pieces: [ParameterPiece]) -> [ParameterPiece] {
        var sorted: [ParameterPiece] = []
        let numbered = pieces.enumerated().filter { $0.element.section != nil }
            .sorted { ($0.element.section ?? 0, $0.offset) < ($1.element.section ?? 0, $1.offset) }
        for (_, piece) in numbered where piece.section != sorted.last?.section { sorted.append(piece) }
        return sorted.first?.section == 0 ? sorted : []
    }

    var text: String {
        guard isExtended else {
            return pieces.count == 1
                ? EncodedWord.decode(pieces[0].value) : EncodedWord.decode(joined.bytes[...])
        }
        let (bytes, label) = joined
        // An extended value must not contain `=?`. If it does, the sender mixed both encodings.
        if pieces.contains(where: { HeaderText.mayHoldWords($0.value) }) {
            return EncodedWord.decode(bytes[...])
        }
        return HeaderText.clean(Charset.decode(bytes, label: label))
    }

    var bytes: [UInt8] { pieces.count == 1 && !isExtended ? Array(pieces[0].value) : joined.bytes }

    /// The bytes of all pieces, because a character may be split between two. The charset precedes the first piece;
    /// some senders repeat it.
    private var joined: (bytes: [UInt8], label: String?) {
        var label: String?
        var bytes: [UInt8] = []
        for (index, piece) in pieces.enumerated() {
            guard piece.isExtended else {
                bytes += piece.value
                continue
            }
            var value = piece.value
            if let head = ExtendedValueHead(value), index == 0 || head.isKnown {
                if !head.label.isEmpty { label = label ?? head.label }
                value = value[head.end...]
            }
            PercentCode.decode(value, into: &bytes)
        }
        return (bytes, label)
    }
}

/// `utf-8'en'` before an extended value. Either part may be empty, and after a known charset the second apostrophe may
/// be missing. RFC 2231 §4.
private struct ExtendedValueHead {
    let label: String
    let isKnown: Bool
    let end: Int

    init?(_ value: ArraySlice<UInt8>) {
        let apostrophe = UInt8(ascii: "'")
        let name = value.prefix { $0.isToken && $0 != apostrophe }
        guard name.count <= 64, name.endIndex < value.endIndex, value[name.endIndex] == apostrophe else {
            return nil
        }
        label = name.text
        isKnown = Charset(label: name) != nil
        let rest = value[(name.endIndex + 1)...]
        let language = rest.prefix {
            $0.isLetter || $0.isDigit || $0 == ASCII.hyphen || $0 == ASCII.underscore
        }
        if language.endIndex < rest.endIndex, rest[language.endIndex] == apostrophe {
            end = language.endIndex + 1
        } else if isKnown {
            end = rest.startIndex
        } else {
            return nil
        }
    }
}

private enum PercentCode {
    /// A code that is none stays as it came.
    static func decode(_ value: ArraySlice<UInt8>, into output: inout [UInt8]) {
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
    }
}

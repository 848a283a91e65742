import CLibical
import Models

/// The value of a content line that needs no parser, because it has no parameters. RFC 5545 §3.1, §3.3.
///
/// Most lines are of this kind, and creating a libical component for each is most of the work for ten thousand files.
/// libical still interprets escapes and dates, and parses all other lines. A test with random lines checks that both
/// give the same value.
struct LiteralValue {
    /// Without blanks at its ends and control characters; never empty.
    private let bytes: ArraySlice<UInt8>
    private let hasEscapes: Bool
    private let hasQuotes: Bool
    private let hasCommas: Bool
    /// Whether the only parameter of the line is `VALUE=DATE`.
    private let isDay: Bool

    /// nil: the line has other parameters, no value, or a byte that is not text.
    init?(_ line: ContentLine, in file: [UInt8]) {
        let content = line.isFolded ? line.unfolded(in: file)[...] : line.content(in: file)
        var value = content.dropFirst(line.name.utf8.count)
        isDay = value.starts(with: Self.dayParameter)
        if isDay { value = value.dropFirst(Self.dayParameter.count) }
        guard value.first == UInt8(ascii: ":") else { return nil }
        value = ContentLine.trimmed(value.dropFirst())
        guard !value.isEmpty else { return nil }
        var (escapes, quotes, commas) = (false, false, false)
        for byte in value {
            switch byte {
            case UInt8(ascii: "\\"): escapes = true
            case UInt8(ascii: "\""): quotes = true
            case UInt8(ascii: ","): commas = true
            case 0..<0x20, 0x7F: return nil
            case _: break
            }
        }
        bytes = value
        (hasEscapes, hasQuotes, hasCommas) = (escapes, quotes, commas)
    }

    /// A value of type TEXT, without its escapes.
    var text: String? {
        guard !isDay else { return nil }
        guard hasEscapes else { return plain }
        let characters = StrayBackslash.doubled(bytes).map { CChar(bitPattern: $0) } + [0]
        guard let value = icalvalue_new_from_string(ICAL_TEXT_VALUE, characters) else { return nil }
        defer { icalvalue_free(value) }
        return icalvalue_get_text(value).map { String(cString: $0) }
    }

    /// A value without escapes: a word or one of type URI.
    var word: String? { isDay || hasEscapes ? nil : plain }

    /// One value where commas separate several.
    var single: String? { isDay || hasEscapes || hasQuotes || hasCommas ? nil : plain }

    /// Several values with commas between them, none of them empty.
    var list: String? {
        guard !isDay, !hasEscapes, !hasQuotes else { return nil }
        let parts = bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        return parts.contains { ContentLine.trimmed($0).isEmpty } ? nil : plain
    }

    /// A number of a few digits.
    var number: String? {
        !isDay && bytes.count <= 3 && bytes.allSatisfy { (0x30...0x39).contains($0) } ? plain : nil
    }

    /// `20260331`, `20260331T150000`, `20260331T150000Z`. nil also where libical reads no date.
    var date: TodoDate? {
        guard isDay ? bytes.count == 8 : [8, 15, 16].contains(bytes.count), isBasicForm else { return nil }
        return CalendarDates.date(icaltime_from_string(plain), tzid: nil)
    }

    private var isBasicForm: Bool {
        zip(bytes, "00000000T000000Z".utf8).allSatisfy { byte, form in
            form == UInt8(ascii: "0") ? (0x30...0x39).contains(byte) : byte == form
        }
    }

    private var plain: String { String(decoding: bytes, as: UTF8.self) }

    private static let dayParameter = Array(";VALUE=DATE".utf8)
}

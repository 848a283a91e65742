import Models

/// A record in one column: its fields in order, each with its length plus one and its bytes; 0 means that the
/// field is absent.
///
/// Fields must be read in the order in which they were written.
struct RecordWriter {
    var bytes: [UInt8] = []

    mutating func text(_ text: String?) {
        guard let text else { return bytes.append(0) }
        length(text.utf8.count)
        bytes += text.utf8
    }

    mutating func data(_ data: [UInt8]?) {
        guard let data else { return bytes.append(0) }
        length(data.count)
        bytes += data
    }

    mutating func number(_ number: Int64?) {
        guard let number else { return bytes.append(0) }
        length(8)
        append(number)
    }

    /// The letter of its kind, the number, and the name of the time zone.
    mutating func date(_ date: TodoDate?) {
        switch date {
        case nil: bytes.append(0)
        case .date(let day): moment(DateKind.day, day.daysSinceEpoch, nil)
        case .instant(let instant): moment(DateKind.instant, instant.seconds, nil)
        case .local(let local, let zone):
            moment(
                zone == nil ? DateKind.floating : DateKind.zoned, local.secondsSinceEpoch, zone)
        }
    }

    mutating func list(_ items: [String]) { fields(items) { $0.text($1) } }

    mutating func dates(_ dates: [TodoDate]) { fields(dates) { $0.date($1) } }

    /// Nested fields: one for each item.
    private mutating func fields<Item>(_ items: [Item], _ write: (inout RecordWriter, Item) -> Void) {
        guard !items.isEmpty else { return bytes.append(0) }
        var inner = RecordWriter()
        for item in items { write(&inner, item) }
        length(inner.bytes.count)
        bytes += inner.bytes
    }

    private mutating func moment(_ kind: UInt8, _ number: Int64, _ zone: String?) {
        length(9 + (zone?.utf8.count ?? 0))
        bytes.append(kind)
        append(number)
        if let zone { bytes += zone.utf8 }
    }

    /// Seven bits per byte, the lowest first.
    private mutating func length(_ count: Int) {
        var rest = UInt64(count) + 1
        while rest > 0x7F {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private mutating func append(_ number: Int64) {
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }
}

/// One letter for each kind of date.
private enum DateKind {
    static let day = UInt8(ascii: "d")
    static let instant = UInt8(ascii: "i")
    static let floating = UInt8(ascii: "f")
    static let zoned = UInt8(ascii: "z")
}

struct RecordReader {
    private var rest: Slice<UnsafeRawBufferPointer>
    /// False if a field was longer than the record.
    private(set) var isWhole = true

    init(_ bytes: Slice<UnsafeRawBufferPointer>) { rest = bytes }

    mutating func text() -> String? { field().map { String(decoding: $0, as: UTF8.self) } }

    mutating func data() -> [UInt8]? { field().map { Array($0) } }

    mutating func number() -> Int64? { field().flatMap(number) }

    mutating func date() -> TodoDate? {
        guard let field = field(), let kind = field.first, let number = number(field.dropFirst().prefix(8))
        else {
            return nil
        }
        switch kind {
        case DateKind.day: return .date(CalendarDate(daysSinceEpoch: number))
        case DateKind.instant: return .instant(Timestamp(seconds: number))
        case DateKind.floating: return .local(LocalDateTime(secondsSinceEpoch: number), zone: nil)
        case DateKind.zoned:
            return .local(
                LocalDateTime(secondsSinceEpoch: number),
                zone: String(decoding: field.dropFirst(9), as: UTF8.self))
        case _: return nil
        }
    }

    mutating func list() -> [String] { fields { $0.text() } }

    mutating func dates() -> [TodoDate] { fields { $0.date() } }

    private mutating func fields<Item>(_ read: (inout RecordReader) -> Item?) -> [Item] {
        guard let field = field() else { return [] }
        var (items, inner): ([Item], RecordReader) = ([], RecordReader(field))
        while let item = read(&inner) { items.append(item) }
        isWhole = isWhole && inner.isWhole
        return items
    }

    /// nil: the field is absent, or the record has ended.
    private mutating func field() -> Slice<UnsafeRawBufferPointer>? {
        var (length, shift): (UInt64, UInt64) = (0, 0)
        while let byte = rest.popFirst() {
            length |= UInt64(byte & 0x7F) << shift
            guard byte & 0x80 != 0, shift < 56 else { break }
            shift += 7
        }
        guard length > 0 else { return nil }
        guard length - 1 <= UInt64(rest.count) else {
            isWhole = false
            return nil
        }
        let field = rest.prefix(Int(length - 1))
        rest = rest.dropFirst(Int(length - 1))
        return field
    }

    private func number(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int64? {
        guard bytes.count == 8 else { return nil }
        return Int64(littleEndian: UnsafeRawBufferPointer(rebasing: bytes).loadUnaligned(as: Int64.self))
    }
}

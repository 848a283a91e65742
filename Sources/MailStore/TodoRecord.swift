/// A `Todo` in one column: its fields one after the other, so that ten thousand are read in a blink.
///
/// A field is its length plus one, and its bytes; 0 is a field that is absent. Fields are added at the end only: a
/// record of an older version ends before them. What was written before there was this form is JSON.

import Foundation
import Models

enum TodoRecord {
    /// The first byte. JSON begins with a brace.
    private static let form: UInt8 = 1

    static func encode(_ todo: Todo) -> Data {
        var record = Writer()
        record.bytes.append(form)
        record.text(todo.id.rawValue)
        record.text(todo.list.rawValue)
        record.text(todo.summary)
        record.text(todo.notes)
        record.text(todo.status.rawValue)
        record.number(todo.completed?.seconds)
        record.number(todo.percentComplete.map(Int64.init))
        record.number(Int64(todo.priority))
        record.date(todo.due)
        record.date(todo.start)
        record.list(todo.categories)
        record.text(todo.url)
        record.text(todo.contact)
        record.number(todo.alarmSecondsBefore.map(Int64.init))
        record.text(todo.parent?.rawValue)
        record.list(todo.dependsOn.map(\.rawValue))
        record.text(todo.recurrence)
        record.list(todo.doneInstances)
        record.number(todo.created?.seconds)
        record.text(todo.messageID?.rawValue)
        record.text(todo.account?.rawValue)
        record.text(todo.rule)
        record.text(todo.timeZone)
        record.text(todo.waitingOn)
        record.text(todo.delegatedMessageID?.rawValue)
        record.dates(todo.excludedDates)
        record.dates(todo.addedDates)
        record.list((todo.unread ?? [:]).sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] })
        return Data(record.bytes)
    }

    static func decode(_ data: Data) throws -> Todo {
        guard data.first == form else { return try JSONDecoder().decode(Todo.self, from: data) }
        guard let todo = data.withUnsafeBytes({ todo(Reader($0.dropFirst())) }) else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "the record of a task"))
        }
        return todo
    }

    /// nil when the bytes are no record.
    private static func todo(_ record: Reader) -> Todo? {
        var record = record
        guard let id = record.text(), let list = record.text(), let summary = record.text() else {
            return nil
        }
        var todo = Todo(id: TodoID(id), list: GTDList(list), summary: summary)
        todo.notes = record.text() ?? ""
        guard let status = record.text().flatMap(TodoStatus.init(rawValue:)) else { return nil }
        todo.status = status
        todo.completed = record.number().map(Timestamp.init(seconds:))
        todo.percentComplete = record.number().map(Int.init)
        todo.priority = record.number().map(Int.init) ?? 0
        todo.due = record.date()
        todo.start = record.date()
        todo.categories = record.list()
        todo.url = record.text()
        todo.contact = record.text()
        todo.alarmSecondsBefore = record.number().map(Int.init)
        todo.parent = record.text().map { TodoID($0) }
        todo.dependsOn = record.list().map { TodoID($0) }
        todo.recurrence = record.text()
        todo.doneInstances = record.list()
        todo.created = record.number().map(Timestamp.init(seconds:))
        todo.messageID = record.text().map { MessageID($0) }
        todo.account = record.text().map { AccountID($0) }
        todo.rule = record.text()
        todo.timeZone = record.text()
        todo.waitingOn = record.text()
        todo.delegatedMessageID = record.text().map { MessageID($0) }
        todo.excludedDates = record.dates()
        todo.addedDates = record.dates()
        let unread = record.list()
        for index in stride(from: 0, to: unread.count - 1, by: 2) {
            todo.unread = (todo.unread ?? [:]).merging([unread[index]: unread[index + 1]]) { $1 }
        }
        return record.isWhole ? todo : nil
    }
}

private struct Writer {
    var bytes: [UInt8] = []

    mutating func text(_ text: String?) {
        guard let text else { return bytes.append(0) }
        length(text.utf8.count)
        bytes += text.utf8
    }

    mutating func number(_ number: Int64?) {
        guard let number else { return bytes.append(0) }
        length(8)
        append(number)
    }

    /// The letter of its kind, its number, and the name of its zone.
    mutating func date(_ date: TodoDate?) {
        switch date {
        case nil: bytes.append(0)
        case .date(let day): moment(TodoRecord.Kind.day, day.daysSinceEpoch, nil)
        case .instant(let instant): moment(TodoRecord.Kind.instant, instant.seconds, nil)
        case .local(let local, let zone):
            moment(
                zone == nil ? TodoRecord.Kind.floating : TodoRecord.Kind.zoned, local.secondsSinceEpoch, zone)
        }
    }

    mutating func list(_ items: [String]) { fields(items) { $0.text($1) } }

    mutating func dates(_ dates: [TodoDate]) { fields(dates) { $0.date($1) } }

    /// The items are fields of the field.
    private mutating func fields<Item>(_ items: [Item], _ write: (inout Writer, Item) -> Void) {
        guard !items.isEmpty else { return bytes.append(0) }
        var inner = Writer()
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

    /// Seven bits a byte, the lowest first.
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

extension TodoRecord {
    fileprivate enum Kind {
        static let day = UInt8(ascii: "d")
        static let instant = UInt8(ascii: "i")
        static let floating = UInt8(ascii: "f")
        static let zoned = UInt8(ascii: "z")
    }
}

private struct Reader {
    private var rest: Slice<UnsafeRawBufferPointer>
    /// False once a field was longer than the record.
    private(set) var isWhole = true

    init(_ bytes: Slice<UnsafeRawBufferPointer>) { rest = bytes }

    mutating func text() -> String? { field().map { String(decoding: $0, as: UTF8.self) } }

    mutating func number() -> Int64? { field().flatMap(number) }

    mutating func date() -> TodoDate? {
        guard let field = field(), let kind = field.first, let number = number(field.dropFirst().prefix(8))
        else {
            return nil
        }
        switch kind {
        case TodoRecord.Kind.day: return .date(CalendarDate(daysSinceEpoch: number))
        case TodoRecord.Kind.instant: return .instant(Timestamp(seconds: number))
        case TodoRecord.Kind.floating: return .local(LocalDateTime(secondsSinceEpoch: number), zone: nil)
        case TodoRecord.Kind.zoned:
            return .local(
                LocalDateTime(secondsSinceEpoch: number),
                zone: String(decoding: field.dropFirst(9), as: UTF8.self))
        case _: return nil
        }
    }

    mutating func list() -> [String] { fields { $0.text() } }

    mutating func dates() -> [TodoDate] { fields { $0.date() } }

    private mutating func fields<Item>(_ read: (inout Reader) -> Item?) -> [Item] {
        guard let field = field() else { return [] }
        var (items, inner): ([Item], Reader) = ([], Reader(field))
        while let item = read(&inner) { items.append(item) }
        isWhole = isWhole && inner.isWhole
        return items
    }

    /// nil when it is absent, or the record has ended.
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

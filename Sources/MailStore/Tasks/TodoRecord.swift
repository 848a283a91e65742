import Foundation
import Models

/// A `Todo` in one column, in a compact form so that opus reads ten thousand tasks quickly. New fields go at the end
/// only: a record of an older version ends before them. Tasks that were written before this form existed are JSON.
enum TodoRecord {
    /// The first byte. JSON begins with a brace.
    private static let form: UInt8 = 1

    static func encode(_ todo: Todo) -> Data {
        var record = RecordWriter()
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
        record.text(todo.onReply?.rawValue)
        return Data(record.bytes)
    }

    static func decode(_ data: Data) throws -> Todo {
        guard data.first == form else { return try JSONDecoder().decode(Todo.self, from: data) }
        guard let todo = data.withUnsafeBytes({ todo(RecordReader($0.dropFirst())) }) else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "the record of a task"))
        }
        return todo
    }

    /// nil: the bytes are not a record.
    private static func todo(_ record: RecordReader) -> Todo? {
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
        todo.onReply = record.text().flatMap(ReplyPolicy.init(rawValue:))
        return record.isWhole ? todo : nil
    }
}

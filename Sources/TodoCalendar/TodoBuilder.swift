import CLibical
import Models

/// Builds a ``Todo`` from its lines in the order of the file; the first of a kind counts.
///
/// Invalid values (a day that does not exist, 999 %) count as missing, never as done.
struct TodoBuilder {
    private var todo: Todo
    private var id: String?
    private var summary: String?
    private var notes: String?
    private var status: TodoStatus?
    private var priority: Int?
    private var contexts: [String] = []
    private var attachedMail: MessageID?
    /// Seconds between START or END and the alarm.
    private var alarm: Int?

    init(list: GTDList) { todo = Todo(id: TodoID(""), list: list, summary: "") }

    /// Reads a line of this name without a parser; false: it needs one.
    mutating func receive(_ value: LiteralValue, of name: String) -> Bool {
        switch name {
        case "SUMMARY", "DESCRIPTION", "CONTACT": receive(text: value.text, of: name)
        case "UID", "URL", "STATUS": receive(text: value.word, of: name)
        case "PERCENT-COMPLETE", "PRIORITY": receive(text: value.number, of: name)
        case "DUE", "DTSTART", "COMPLETED", "CREATED": receive(date: value.date, of: name)
        case "CATEGORIES", "X-OPUS-CONTEXT": receive(text: value.list, of: name)
        case _: name.hasPrefix("X-OPUS-") && receive(text: value.single, of: name)
        }
    }

    /// Reads the property that libical made from a line of this name.
    mutating func receive(_ property: OpaquePointer, of name: String) {
        guard icalproperty_isa(property) != ICAL_XLICERROR_PROPERTY else { return }
        switch name {
        case "DUE", "DTSTART", "COMPLETED", "CREATED":
            _ = receive(date: CalendarDates.date(of: property), of: name)
        case "RELATED-TO": receive(relation: property)
        case _: _ = receive(text: text(property), of: name)
        }
    }

    /// False: there is no text.
    private mutating func receive(text: String?, of name: String) -> Bool {
        guard let text else { return false }
        switch name {
        case "UID": id = id ?? text
        case "SUMMARY": summary = summary ?? text
        case "DESCRIPTION": notes = notes ?? text
        case "STATUS": status = status ?? Self.status(text)
        case "PERCENT-COMPLETE": todo.percentComplete = todo.percentComplete ?? number(text, 0...100)
        case "PRIORITY": priority = priority ?? number(text, 0...9)
        case "CATEGORIES": add(categories: text, to: &todo.categories)
        case "URL": todo.url = todo.url ?? text
        case "CONTACT": todo.contact = todo.contact ?? text
        case "ATTACH": attachedMail = attachedMail ?? MailLink.messageID(url: text)
        case _: if !text.isEmpty { receive(own: text, of: name) }
        }
        return true
    }

    private mutating func receive(own text: String, of name: String) {
        switch name {
        case "X-OPUS-MESSAGE-ID": todo.messageID = todo.messageID ?? MailLink.messageID(text)
        case "X-OPUS-ACCOUNT": todo.account = todo.account ?? AccountID(text)
        case "X-OPUS-RULE": todo.rule = todo.rule ?? text
        case "X-OPUS-CONTEXT": add(categories: text, to: &contexts)
        case "X-OPUS-TZ": todo.timeZone = todo.timeZone ?? text
        case "X-OPUS-WAITING-ON": todo.waitingOn = todo.waitingOn ?? text
        case "X-OPUS-DELEGATED-MID":
            todo.delegatedMessageID = todo.delegatedMessageID ?? MailLink.messageID(text)
        case "X-OPUS-ON-REPLY": todo.onReply = todo.onReply ?? ReplyPolicy(rawValue: text)
        case _: break
        }
    }

    /// False when there is no date.
    private mutating func receive(date: TodoDate?, of name: String) -> Bool {
        guard let date else { return false }
        switch name {
        case "DUE": todo.due = todo.due ?? date
        case "DTSTART": todo.start = todo.start ?? date
        case "COMPLETED": todo.completed = todo.completed ?? CalendarDates.instant(date)
        case _: todo.created = todo.created ?? CalendarDates.instant(date)
        }
        return true
    }

    mutating func receive(alarm component: OpaquePointer) {
        guard alarm == nil else { return }
        for property in Libical.properties(of: component) {
            guard icalproperty_isa(property) == ICAL_TRIGGER_PROPERTY else { continue }
            let trigger = icalproperty_get_trigger(property)
            guard icaltime_is_null_time(trigger.time) != 0 else { continue }
            let seconds = icaldurationtype_as_int(trigger.duration)
            if seconds <= 0 { alarm = Int(-Int64(seconds)) }
        }
    }

    /// Whether opus's copy of the contexts is older than CATEGORIES.
    var hasOldContexts: Bool {
        let lowered = { (words: [String]) in Set(words.map { $0.lowercased() }) }
        return !contexts.isEmpty && !todo.categories.isEmpty && lowered(contexts) != lowered(todo.categories)
    }

    /// nil when there is no UID.
    func finish() -> Todo? {
        guard let id, !id.isEmpty else { return nil }
        var todo = todo
        todo.id = TodoID(id)
        todo.summary = summary ?? ""
        todo.notes = notes ?? ""
        todo.status = status ?? .needsAction
        todo.priority = priority ?? 0
        // Our own line is for programs that lose the other one; a person who takes one away leaves the rest.
        if todo.categories.isEmpty { todo.categories = contexts }
        todo.alarmSecondsBefore = alarm
        todo.messageID =
            todo.messageID ?? todo.url.flatMap { MailLink.messageID(url: $0) }
            ?? MailLink.messageID(notes: todo.notes) ?? attachedMail
        return todo
    }

    /// The decoded text of a value of any kind.
    private func text(_ property: OpaquePointer) -> String? {
        guard let value = icalproperty_get_value(property) else { return nil }
        switch icalvalue_isa(value) {
        case ICAL_TEXT_VALUE: return icalvalue_get_text(value).map { String(cString: $0) }
        case ICAL_X_VALUE: return icalvalue_get_x(value).map { String(cString: $0) }
        case _: return Libical.take(icalvalue_as_ical_string_r(value))
        }
    }

    private func number(_ text: String, _ range: ClosedRange<Int>) -> Int? {
        Int(text).flatMap { range.contains($0) ? $0 : nil }
    }

    /// A value with a comma inside is several for every other program: it is split here too.
    private func add(categories text: String?, to list: inout [String]) {
        for part in (text ?? "").split(separator: ",") {
            let category = CleanText.line(String(part))
            if !category.isEmpty, !Self.contains(list, category) { list.append(category) }
        }
    }

    private static func contains(_ list: [String], _ category: String) -> Bool {
        !list.isEmpty && list.contains { $0 == category || $0.lowercased() == category.lowercased() }
    }

    private mutating func receive(relation property: OpaquePointer) {
        guard let relation = TodoRelation(property) else { return }
        switch relation.kind {
        case .parent: todo.parent = todo.parent ?? relation.uid
        case .dependsOn where todo.dependsOn.count < TodoRelation.most:
            if !todo.dependsOn.contains(relation.uid) { todo.dependsOn.append(relation.uid) }
        case .dependsOn, .other: break
        }
    }

    private static func status(_ text: String) -> TodoStatus? {
        switch text.uppercased() {
        case "NEEDS-ACTION": .needsAction
        case "IN-PROCESS": .inProcess
        case "COMPLETED": .completed
        case "CANCELLED": .cancelled
        case _: nil
        }
    }
}

import CLibical
import Models

/// Collects a ``Todo`` from libical's properties, in the order of the file: the first of a kind wins.
///
/// What a stranger's program wrote badly (a day that does not exist, 999 %) reads as absent, never as done.
struct TodoBuilder {
    private var todo: Todo
    private var id: String?
    private var summary: String?
    private var notes: String?
    private var status: TodoStatus?
    private var priority: Int?
    private var contexts: [String] = []
    private var attachedMail: MessageID?
    /// Seconds from START or END to the alarm.
    private var alarm: Int?

    init(list: GTDList) { todo = Todo(id: TodoID(""), list: list, summary: "") }

    mutating func receive(_ property: OpaquePointer) {
        switch icalproperty_isa(property) {
        case ICAL_UID_PROPERTY: id = id ?? text(property)
        case ICAL_SUMMARY_PROPERTY: summary = summary ?? text(property)
        case ICAL_DESCRIPTION_PROPERTY: notes = notes ?? text(property)
        case ICAL_STATUS_PROPERTY: status = status ?? Self.status(text(property))
        case ICAL_COMPLETED_PROPERTY: todo.completed = todo.completed ?? CalendarDates.instant(of: property)
        case ICAL_PERCENTCOMPLETE_PROPERTY:
            todo.percentComplete = todo.percentComplete ?? number(property, 0...100)
        case ICAL_PRIORITY_PROPERTY: priority = priority ?? number(property, 0...9)
        case ICAL_DUE_PROPERTY: todo.due = todo.due ?? CalendarDates.date(of: property)
        case ICAL_DTSTART_PROPERTY: todo.start = todo.start ?? CalendarDates.date(of: property)
        case ICAL_CATEGORIES_PROPERTY: add(categories: text(property), to: &todo.categories)
        case ICAL_URL_PROPERTY: todo.url = todo.url ?? text(property)
        case ICAL_CONTACT_PROPERTY: todo.contact = todo.contact ?? text(property)
        case ICAL_RELATEDTO_PROPERTY: receive(relation: property)
        case ICAL_CREATED_PROPERTY: todo.created = todo.created ?? CalendarDates.instant(of: property)
        case ICAL_ATTACH_PROPERTY:
            attachedMail = attachedMail ?? text(property).flatMap { MailLink.messageID(url: $0) }
        case ICAL_X_PROPERTY: receive(own: property)
        case _: break
        }
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

    private mutating func receive(own property: OpaquePointer) {
        guard let name = icalproperty_get_x_name(property), let text = text(property), !text.isEmpty else {
            return
        }
        switch String(cString: name).uppercased() {
        case "X-OPUS-MESSAGE-ID": todo.messageID = todo.messageID ?? MailLink.messageID(text)
        case "X-OPUS-ACCOUNT": todo.account = todo.account ?? AccountID(text)
        case "X-OPUS-RULE": todo.rule = todo.rule ?? text
        case "X-OPUS-CONTEXT": add(categories: text, to: &contexts)
        case "X-OPUS-TZ": todo.timeZone = todo.timeZone ?? text
        case "X-OPUS-WAITING-ON": todo.waitingOn = todo.waitingOn ?? text
        case "X-OPUS-DELEGATED-MID":
            todo.delegatedMessageID = todo.delegatedMessageID ?? MailLink.messageID(text)
        case _: break
        }
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

    private func number(_ property: OpaquePointer, _ range: ClosedRange<Int>) -> Int? {
        text(property).flatMap { Int($0) }.flatMap { range.contains($0) ? $0 : nil }
    }

    /// A value with a comma inside is several for every other program: it is split here too.
    private func add(categories text: String?, to list: inout [String]) {
        for part in (text ?? "").split(separator: ",") {
            let category = CleanText.line(String(part))
            if !category.isEmpty, !Self.contains(list, category) { list.append(category) }
        }
    }

    private static func contains(_ list: [String], _ category: String) -> Bool {
        list.contains { $0.lowercased() == category.lowercased() }
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

    private static func status(_ text: String?) -> TodoStatus? {
        switch text?.uppercased() {
        case "NEEDS-ACTION": .needsAction
        case "IN-PROCESS": .inProcess
        case "COMPLETED": .completed
        case "CANCELLED": .cancelled
        case _: nil
        }
    }
}

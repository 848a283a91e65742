/// Why a calendar file cannot be read, or was not changed: a code with its values, and the line.
public struct CalendarError: Error, Hashable, Sendable {
    public enum Code: Hashable, Sendable {
        /// The file is too large.
        case fileTooLarge(bytes: Int, maximum: Int)
        /// A content line, folded or unfolded, is too long.
        case lineTooLong(maximum: Int)
        case nestedTooDeep(maximum: Int)
        /// The file contains a NUL, so it is not text (or it is UTF-16).
        case notText
        /// The file is empty; an editor or a sync program may still be writing it.
        case empty
        /// The first content line is not `BEGIN:VCALENDAR`, or there is content outside of it.
        case notICalendar
        /// A line that is not `NAME:value`, such as a merge marker.
        case notAContentLine
        /// `BEGIN` without its `END`: the file is truncated.
        case unterminated(component: String)
        case mismatchedEnd(expected: String, found: String)
        case noTodo
        /// The calendar in a mail has no VEVENT.
        case noEvent
        /// A calendar of events or notes, without a task.
        case onlyEvents(Int)
        /// The file has several tasks where one is expected.
        case severalTodos
        /// Two tasks in the file have the same UID, and neither is an instance of the other.
        case sameUID
        /// The file has no task with this UID.
        case noSuchTodo
        case noUID
        /// A UID with control characters, or with blanks at its ends, which would be lost.
        case badUID
        /// libical refused lines that opus's own reader accepted.
        case unreadable

        /// The change would damage the file.
        case wouldDamage
        /// A line that has to change contains bytes that are not UTF-8, which would be lost. RFC 5545 §3.1.4.
        case notUTF8
        /// A repeating task: the change depends on its rule.
        case repeats
        /// The repeating task is on another date than the one for which the change was decided.
        case movedOn
        /// opus cannot expand the repeat rule.
        case badRule
        /// DTSTART must be before DUE; other programs delete it otherwise.
        case startNotBeforeDue
    }

    public var code: Code
    /// From 1; 0: the whole file.
    public var line: Int

    public init(_ code: Code, line: Int = 0) {
        self.code = code
        self.line = line
    }
}

extension CalendarError: CustomStringConvertible {
    /// A lower-case clause. The code that shows it adds the path and the line.
    public var description: String {
        switch code {
        case .fileTooLarge(let bytes, let maximum):
            "\(bytes) bytes are more than a task file may have (\(maximum)); move attachments out of it"
        case .lineTooLong(let maximum):
            "a line of more than \(maximum) bytes; move attachments out of the file"
        case .nestedTooDeep(let maximum):
            "components are nested more than \(maximum) deep"
        case .notText:
            "the file is not UTF-8 text; save it as UTF-8"
        case .empty:
            "the file is empty; it is read again when it has content"
        case .notICalendar:
            "expected BEGIN:VCALENDAR and nothing outside of it; remove the line or move the file away"
        case .notAContentLine:
            "expected NAME:value; a longer value continues on a line that begins with a space"
        case .unterminated(let component):
            "BEGIN:\(component) has no END:\(component); the file is cut short"
        case .mismatchedEnd(let expected, let found):
            "expected END:\(expected), found END:\(found)"
        case .noTodo:
            "the file has no VTODO; move it out of the task folder"
        case .noEvent:
            "the calendar has no VEVENT"
        case .severalTodos:
            "the file holds several tasks; name one of them by its UID"
        case .onlyEvents(let number):
            "the file has no task; it holds \(number) other \(number == 1 ? "component" : "components"), such as events"
        case .sameUID:
            "a second task with the same UID; keep one of them, or give each its own UID"
        case .noSuchTodo:
            "the file no longer holds the task"
        case .noUID:
            "the task has no UID; add a line UID: with a value of its own"
        case .badUID:
            "the UID has characters that a file cannot hold"
        case .unreadable:
            "libical cannot read the file"
        case .wouldDamage:
            "the change would damage the file, which was left as it is; edit it by hand"
        case .notUTF8:
            "a line that has to change is not UTF-8, and opus does not replace characters that it cannot read; save the file as UTF-8"
        case .repeats:
            "a repeating task; change it in the program that made it"
        case .movedOn:
            "the repeating task is on another day now; check it again"
        case .badRule:
            "the repeat rule cannot be read, or never falls on a day; use a rule such as FREQ=WEEKLY"
        case .startNotBeforeDue:
            "the start has to be before the due date; change both"
        }
    }
}

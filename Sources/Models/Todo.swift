/// A task as its file stores it: one VTODO. RFC 5545 §3.6.2.
///
/// The type is `Todo` because Swift has a `Task`; users read "task".

/// The `UID` of a VTODO. It is data and never a path. RFC 5545 §3.8.4.7.
public struct TodoID: RawRepresentable, Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.rawValue = rawValue }

    public var description: String { rawValue }
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// A list of tasks: the folder that contains the file. GTD defines some lists, and users can add their own.
public struct GTDList: RawRepresentable, Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.rawValue = rawValue }

    public static let inbox = GTDList("inbox")
    public static let next = GTDList("next")
    public static let waiting = GTDList("waiting")
    public static let scheduled = GTDList("scheduled")
    public static let someday = GTDList("someday")
    public static let reference = GTDList("reference")

    /// Whether the text can name a folder: letters, digits, `.`, `_`, `-`, `+`, inner blanks, and no leading dot.
    public static func isValid(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 100 && text.first != "." && text.first != " " && text.last != " "
            && text.unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || $0.properties.numericType != nil
                    || "._-+ ".unicodeScalars.contains($0)
            }
    }

    public var description: String { rawValue }
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// The STATUS of a task. RFC 5545 §3.8.1.11.
public enum TodoStatus: String, Hashable, Codable, Sendable {
    case needsAction
    case inProcess
    case completed
    case cancelled

    /// Whether the task is still to be done.
    public var isOpen: Bool { self == .needsAction || self == .inProcess }
}

/// `DUE` or `DTSTART` in the form that the file has. RFC 5545 §3.3.4, §3.3.5.
public enum TodoDate: Hashable, Sendable, Codable {
    /// A day (`VALUE=DATE`).
    case date(CalendarDate)
    /// A point in time (`…Z`).
    case instant(Timestamp)
    /// A wall-clock time, in a named zone or floating.
    case local(LocalDateTime, zone: String?)
}

/// One task. Properties that opus does not understand stay in the file and are not in this value.
public struct Todo: Hashable, Codable, Sendable {
    public var id: TodoID
    /// The folder of the file; not a property in it.
    public var list: GTDList
    public var summary: String
    /// The DESCRIPTION as users see it, with its `mid:` line.
    public var notes: String
    public var status: TodoStatus
    public var completed: Timestamp?
    public var percentComplete: Int?
    /// 0 undefined, 1 highest, 9 lowest. RFC 5545 §3.8.1.9.
    public var priority: Int
    public var due: TodoDate?
    public var start: TodoDate?
    /// Contexts and other categories, without commas.
    public var categories: [String]
    public var url: String?
    /// The person whose answer the task waits for (`CONTACT`). RFC 5545 §3.8.4.2.
    public var contact: String?
    /// Seconds before DUE (or DTSTART) at which a display alarm goes off.
    public var alarmSecondsBefore: Int?
    /// RELATED-TO;RELTYPE=PARENT.
    public var parent: TodoID?
    /// RELATED-TO;RELTYPE=DEPENDS-ON: the tasks to do first. RFC 9253 §4.
    public var dependsOn: [TodoID] {
        get { dependencies ?? [] }
        set { dependencies = newValue.isEmpty ? nil : newValue }
    }
    /// nil, never empty: records of older stores have no such field.
    private var dependencies: [TodoID]?
    /// The rule of a repeating task (`RRULE`'s value, as the file has it). RFC 5545 §3.8.5.3.
    public var recurrence: String?
    /// The RECURRENCE-ID of each instance that is done.
    public var doneInstances: [String] {
        get { instancesDone ?? [] }
        set { instancesDone = newValue.isEmpty ? nil : newValue }
    }
    private var instancesDone: [String]?
    /// Dates that the series skips (`EXDATE`). RFC 5545 §3.8.5.1.
    public var excludedDates: [TodoDate] {
        get { excluded ?? [] }
        set { excluded = newValue.isEmpty ? nil : newValue }
    }
    private var excluded: [TodoDate]?
    /// Additional dates of the series (`RDATE`). RFC 5545 §3.8.5.2.
    public var addedDates: [TodoDate] {
        get { added ?? [] }
        set { added = newValue.isEmpty ? nil : newValue }
    }
    private var added: [TodoDate]?
    /// By property: a digest of content in its lines that this value does not hold (parameters, second lines,
    /// unreadable values). nil, as usually: there is none.
    public var unread: [String: String]?
    public var created: Timestamp?

    /// The mail behind the task (`X-OPUS-MESSAGE-ID`, else `URL:mid:`, else the `mid:` line, else ATTACH).
    public var messageID: MessageID?
    public var account: AccountID?
    public var rule: String?
    /// The zone in which the user meant a time (`X-OPUS-TZ`).
    public var timeZone: String?
    public var waitingOn: String?
    public var delegatedMessageID: MessageID?
    /// What an answer does to a waiting task; nil: the default.
    public var onReply: ReplyPolicy?

    public init(id: TodoID, list: GTDList, summary: String) {
        self.id = id
        self.list = list
        self.summary = summary
        notes = ""
        status = .needsAction
        priority = 0
        categories = []
    }

    /// Whether it has one of the three signs that programs write: STATUS, COMPLETED, or 100 %.
    public var isCompleted: Bool { status == .completed || completed != nil || (percentComplete ?? 0) >= 100 }
    public var isOpen: Bool { status.isOpen && !isCompleted }

    /// The beginning of the line in the notes with the state of a wait.
    public static let waitMark = "Wait: "
    /// The line in the notes of a waiting task whose question is still a draft.
    public static let draftedWait = waitMark + "drafted, not sent yet"
}

/// A difference between a task file and the version that opus last recorded.
public enum TodoChange: Hashable, Sendable {
    case added(Todo)
    case completed(Todo)
    case reopened(Todo)
    case cancelled(Todo)
    /// DTSTART was set, moved or removed, or another date of a series is the one to do now, which is then the start.
    case startChanged(Todo)
    case movedList(Todo, from: GTDList)
    /// Another property changed.
    case edited(Todo)
    /// The file is gone. `wasOpen`: the task was still to be done.
    case deleted(Todo, wasOpen: Bool)

    public var todo: Todo {
        switch self {
        case .added(let todo), .completed(let todo), .reopened(let todo), .cancelled(let todo),
            .startChanged(let todo), .edited(let todo):
            todo
        case .movedList(let todo, from: _), .deleted(let todo, wasOpen: _): todo
        }
    }
}

import Models

/// An action of a rule before it meets a message.
enum ActionTemplate: Sendable {
    case keep
    case archive
    case trash
    case junk
    case move(String)
    case deferUntil(Template)
    case label(Template)
    case unlabel(Template)
    case flag
    case unflag
    case mark(read: Bool)
    case task(TaskTemplate)
    case delegate(DelegateTemplate)
    case vacation(VacationTemplate)
    case waiting(WaitingTemplate)
    case letter(LetterTemplate)
    case notify(Template)
    case unsubscribe
    case saveFiles(SavingTemplate)

    var isDisposition: Bool {
        switch self {
        case .keep, .archive, .trash, .junk, .move, .deferUntil: true
        case .label, .unlabel, .flag, .unflag, .mark, .task, .delegate, .vacation, .waiting, .letter, .notify,
            .unsubscribe, .saveFiles:
            false
        }
    }

    var usesText: Bool {
        switch self {
        case .keep, .archive, .trash, .junk, .move, .flag, .unflag, .mark, .unsubscribe, .saveFiles: false
        case .deferUntil(let template), .label(let template), .unlabel(let template), .notify(let template):
            template.usesText
        case .task(let task): task.templates.contains(where: \.usesText)
        case .delegate(let delegate): [delegate.note, delegate.followUp].contains { $0?.usesText ?? false }
        case .vacation(let vacation): [vacation.text, vacation.subject].contains { $0?.usesText ?? false }
        case .waiting(let waiting): [waiting.title, waiting.followUp].contains { $0?.usesText ?? false }
        case .letter(let letter): [letter.text, letter.subject].contains { $0?.usesText ?? false }
        }
    }

    var asksHeaders: Bool {
        switch self {
        case .delegate, .vacation, .letter, .unsubscribe: true
        case .keep, .archive, .trash, .junk, .move, .deferUntil, .label, .unlabel, .flag, .unflag, .mark,
            .task, .waiting, .notify, .saveFiles:
            false
        }
    }

    /// The word in the file.
    var name: String {
        switch self {
        case .keep: "keep"
        case .archive: "archive"
        case .trash: "trash"
        case .junk: "junk"
        case .move: "move"
        case .deferUntil: "defer"
        case .label: "label"
        case .unlabel: "unlabel"
        case .flag: "flag"
        case .unflag: "unflag"
        case .mark: "mark"
        case .task: "task"
        case .delegate: "delegate"
        case .vacation: "vacation"
        case .waiting: "waiting"
        case .letter(let letter): letter.kind.rawValue
        case .notify: "notify"
        case .unsubscribe: "unsubscribe"
        case .saveFiles: "save-attachment"
        }
    }
}

struct TaskTemplate: Sendable {
    var title: Template
    var list = GTDList.next
    var contexts: [Template] = []
    var due: Template?
    var dueElse: Template?
    var start: Template?
    var priority = 0
    var notes: Template?
    var remindSecondsBefore: Int?

    var templates: [Template] { [title] + contexts + [due, dueElse, start, notes].compactMap { $0 } }
}

struct DelegateTemplate: Sendable {
    var to: EmailAddress
    var note: Template?
    var followUp: Template?
    var sending = Delegation.Sending.draft
}

struct VacationTemplate: Sendable {
    var text: Template
    var subject: Template?
    var days = 7
    var sending = Delegation.Sending.draft
}

struct WaitingTemplate: Sendable {
    /// For whom a task waits.
    enum Person: Sendable {
        case address(EmailAddress)
        /// The writer, and of a mail of one's own the first recipient.
        case other
        case writer
        case recipient
    }

    var on = Person.other
    var title: Template?
    var followUp: Template?
}

struct LetterTemplate: Sendable {
    var kind: Letter.Kind
    /// Of a forward; an answer goes to Reply-To, else to From.
    var to: EmailAddress?
    var subject: Template?
    var text: Template?
    var sending = Delegation.Sending.draft
}

struct SavingTemplate: Sendable {
    /// Below the attachments folder; empty: that folder itself. Checked, and never a template: a stranger's text must
    /// not choose where a file goes.
    var folder = ""
    /// Patterns of names and of MIME types; empty: any.
    var names: [NameMatcher] = []
    var types: [NameMatcher] = []

    /// Without a pattern, what people see as a file; pictures that stand in the text only when they are asked for.
    func wants(_ file: Attachment) -> Bool {
        if names.isEmpty, types.isEmpty { return !file.isInline }
        return (names.isEmpty || names.contains { $0.matches(file.name) })
            && (types.isEmpty || types.contains { $0.matches(file.contentType) })
    }
}

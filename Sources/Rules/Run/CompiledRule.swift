public import Models

/// A rule as lists and plans speak of it.
public struct RuleInfo: Hashable, Sendable {
    public let id: String
    public let description: String
    public let file: String
    public let line: Int
    /// Empty: every account.
    public let accounts: [AccountID]
    public let isEnabled: Bool
}

/// One rule, checked and ready.
struct CompiledRule: Sendable {
    var info: RuleInfo
    var when: Condition
    var unless: Condition?
    var actions: [ActionTemplate]
    var stops: Bool
    var continues: Bool
    /// The zone of its file, when that names one.
    var timeZone: String?

    /// `when` without `unless`, as one condition.
    var condition: Condition { unless.map { .all([when, .not($0)]) } ?? when }

    var disposes: Bool { actions.contains { $0.isDisposition } }

    func applies(to account: AccountID) -> Bool {
        info.isEnabled && (info.accounts.isEmpty || info.accounts.contains(account))
    }

    var needs: FactNeeds { actions.contains { $0.usesText } ? .text : [] }
}

/// An entry of `protect:`.
struct Protection: Sendable {
    let name: String
    let condition: Condition
    let accounts: [AccountID]
    let timeZone: String?

    func applies(to account: AccountID) -> Bool { accounts.isEmpty || accounts.contains(account) }
}

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

    var isDisposition: Bool {
        switch self {
        case .keep, .archive, .trash, .junk, .move, .deferUntil: true
        case .label, .unlabel, .flag, .unflag, .mark, .task, .delegate, .vacation: false
        }
    }

    var usesText: Bool {
        switch self {
        case .keep, .archive, .trash, .junk, .move, .flag, .unflag, .mark: false
        case .deferUntil(let template), .label(let template), .unlabel(let template): template.usesText
        case .task(let task): task.templates.contains(where: \.usesText)
        case .delegate(let delegate): [delegate.note, delegate.followUp].contains { $0?.usesText ?? false }
        case .vacation(let vacation): [vacation.text, vacation.subject].contains { $0?.usesText ?? false }
        }
    }

    var makesMail: Bool {
        switch self {
        case .delegate, .vacation: true
        case .keep, .archive, .trash, .junk, .move, .deferUntil, .label, .unlabel, .flag, .unflag, .mark,
            .task:
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

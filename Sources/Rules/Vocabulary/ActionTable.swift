/// Every action of the rules language: the one table from which the checker and the help pages are made.
public struct ActionEntry: Sendable {
    public let name: String
    /// What may stand behind the name; empty when nothing may.
    public let value: String
    /// The keys of the mapping form.
    public let fields: [String]
    /// Of those, the keys that must be there.
    public let required: [String]
    public let help: String
    public let example: String
    /// Decides where the message ends up; there is one a message.
    public let isDisposition: Bool
    let kind: Kind

    enum Kind: Sendable {
        case keep
        case archive
        case trash
        case junk
        case move
        case deferUntil
        case label
        case unlabel
        case flag
        case unflag
        case mark
        case task
        case delegate
        case vacation
        case waiting
        case reply
        case forward
        case notify
        case unsubscribe
        case saveAttachment
    }

    init(
        _ name: String, _ kind: Kind, value: String = "", fields: [String] = [],
        required: [String] = [], help: String = "",
        example: String = ""
    ) {
        self.name = name
        self.kind = kind
        self.value = value
        self.fields = fields
        self.required = required
        self.help = help
        self.example = example.isEmpty ? name : example
        switch kind {
        case .keep, .archive, .trash, .junk, .move, .deferUntil: isDisposition = true
        case .label, .unlabel, .flag, .unflag, .mark, .task, .delegate, .vacation, .waiting, .reply, .forward,
            .notify, .unsubscribe, .saveAttachment:
            isDisposition = false
        }
    }
}

enum ActionTable {
    static let taskFields = [
        "title", "list", "context", "due", "due-else", "start", "priority", "notes", "remind",
    ]
    static let delegateFields = ["to", "note", "follow-up", "send"]
    static let waitingFields = ["for", "title", "follow-up"]
    static let replyFields = ["text", "subject", "send"]
    static let forwardFields = ["to", "note", "send"]
    static let savingFields = ["to", "name", "type"]
    static let vacationFields = ["text", "subject", "days", "send"]

    static let entries: [ActionEntry] = [
        .init("keep", .keep, help: "leave the message where it is, and stop looking"),
        .init("archive", .archive, help: "move it to the archive"),
        .init("trash", .trash, help: "move it to the trash"),
        .init("junk", .junk, help: "move it to junk"),
        .init(
            "move", .move, value: "a mailbox", help: "move it to that mailbox", example: "move: Projects/Acme"
        ),
        .init(
            "defer", .deferUntil, value: "a date", fields: ["until"], required: ["until"],
            help: "out of the inbox until then (08:00 when no time is said)", example: "defer: next monday"),
        .init(
            "label", .label, value: "one label or a list", help: "put labels on it", example: "label: reading"
        ),
        .init(
            "unlabel", .unlabel, value: "one label or a list", help: "take labels off",
            example: "unlabel: new"),
        .init("flag", .flag, help: "flag it"),
        .init("unflag", .unflag, help: "take the flag off"),
        .init("mark", .mark, value: "read or unread", help: "mark it read or unread", example: "mark: read"),
        .init(
            "task", .task, value: "a title, or a mapping", fields: taskFields, required: ["title"],
            help: "make a task of it",
            example:
                "task: { title: 'Pay {{subject}}', list: next, due: '{{date-in-body}}', due-else: +14 days }"),
        .init(
            "delegate", .delegate, value: "an address, or a mapping", fields: delegateFields,
            required: ["to"],
            help: "hand it to somebody and wait for the answer",
            example: "delegate: { to: bob@acme.example, note: 'Yours please', follow-up: +3 business days }"),
        .init(
            "vacation", .vacation, value: "a text, or a mapping", fields: vacationFields, required: ["text"],
            help: "answer that you are away, once per sender and week",
            example: "vacation: { text: 'Back on Monday.', days: 7 }"),
        .init(
            "waiting", .waiting, value: "nothing, or a mapping", fields: waitingFields,
            help: "wait for somebody: its writer, or of your own mail its recipient",
            example: "waiting: { follow-up: +3 business days }"),
        .init(
            "reply", .reply, value: "a text, or a mapping", fields: replyFields, required: ["text"],
            help: "answer it",
            example: "reply: { text: 'Thanks, {{from.name}}.' }"),
        .init(
            "forward", .forward, value: "an address, or a mapping", fields: forwardFields, required: ["to"],
            help: "hand it on, without waiting",
            example: "forward: { to: books@acme.example, note: 'For May.' }"),
        .init(
            "notify", .notify, value: "nothing, or a text", help: "a line in the report of the run",
            example: "notify: '{{from.name}} wrote'"),
        .init("unsubscribe", .unsubscribe, help: "propose to leave the list; you decide"),
        .init(
            "save-attachment", .saveAttachment, value: "nothing, or a folder", fields: savingFields,
            help: "save its files below the attachments folder",
            example: "save-attachment: { to: Invoices, name: '*.pdf' }"),
    ]

    private static let byName = Dictionary(uniqueKeysWithValues: entries.map { ($0.name, $0) })

    static func entry(_ name: String) -> ActionEntry? { byName[name] }
    static let names: [String] = entries.map(\.name)
}

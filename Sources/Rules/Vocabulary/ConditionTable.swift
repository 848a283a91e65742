/// Every condition of the rules language: the one table from which the checker, the query parser and the
/// help pages are made.
public struct ConditionEntry: Sendable {
    /// The key of a mapping and the prefix of a query: `from`, `has:pdf`, `header:<name>`.
    public let name: String
    public let group: String
    /// What may stand behind the name; empty when nothing may.
    public let value: String
    public let help: String
    public let example: String
    /// Whether this version can judge it; if not, using it is an error.
    public var isAvailable: Bool {
        switch meaning {
        case .notYet: false
        case .address, .text, .header, .number, .age, .time, .weekday, .state, .keyword, .mailbox, .rule: true
        }
    }
    let meaning: ConditionMeaning

    init(_ name: String, _ group: String, _ meaning: ConditionMeaning, _ help: String, _ example: String) {
        self.name = name
        self.group = group
        self.meaning = meaning
        self.help = help
        self.example = example
        value = meaning.valueHelp
    }
}

/// What a condition looks at, and so what its value may be.
enum ConditionMeaning: Sendable {
    case address(AddressField)
    case text(TextField)
    case header
    case number(NumberField)
    case age(AgeSense)
    case time(TimeField)
    case weekday
    case state(State)
    case keyword
    case mailbox
    case rule
    /// Named in the design, not built yet; the text says what to use instead, when there is something.
    case notYet(String?)

    var valueHelp: String {
        switch self {
        case .address: "ana@x.org, @x.org, *@x.org, me, known, @list, or a name"
        case .text, .header: "word, \"phrase\", =exact, *glob*, /regex/i"
        case .number: "<2M, >=100K, 5000"
        case .age: "7d, 36h, 2 weeks"
        case .time: "a date, with <, <=, >, >= before it"
        case .weekday: "mon … sun, or mon-fri"
        case .keyword: "a label, or *glob*"
        case .mailbox: "a mailbox or its role"
        case .rule: "the id of a rule"
        case .state, .notYet: ""
        }
    }
}

enum AddressField: Sendable {
    case from
    case to
    case cc
    case bcc
    case replyTo
    case sender
    case recipient
}

enum TextField: Hashable, Sendable {
    case subject
    case body
    /// Subject, addresses and body.
    case anyText
    case attachmentName
    case attachmentType
    /// A field of the header, by its lower-case name.
    case header(String)
}

enum NumberField: Sendable {
    case size
    case attachmentSize
}

enum AgeSense: Sendable {
    case age
    case older
    case newer
}

enum TimeField: Sendable {
    case date
    case sent
    case received
}

/// Yes-or-no facts.
enum State: Sendable {
    case unread
    case read
    case flagged
    case answered
    case draft
    case bulk
    case bounce
    case invite
    case hasAttachment
    case hasPDF
    case hasOpenTask
}

enum ConditionTable {
    static let entries: [ConditionEntry] = addresses + texts + machines + structure + state + time + later

    private static let addresses: [ConditionEntry] = [
        .init("from", "addresses", .address(.from), "an address of From", "from:@acme.example"),
        .init("to", "addresses", .address(.to), "an address of To", "to:me"),
        .init("cc", "addresses", .address(.cc), "an address of Cc", "cc:me"),
        .init("bcc", "addresses", .address(.bcc), "an address of Bcc", "bcc:me"),
        .init(
            "reply-to", "addresses", .address(.replyTo), "an address of Reply-To", "reply-to:*@desk.example"),
        .init("sender", "addresses", .address(.sender), "the address of Sender", "sender:bob@x.org"),
        .init(
            "recipient", "addresses", .address(.recipient), "an address of To, Cc or Bcc",
            "recipient:team@acme.example"),
    ]

    private static let texts: [ConditionEntry] = [
        .init("subject", "text", .text(.subject), "the subject", "subject:\"q3 plan\""),
        .init("body", "text", .text(.body), "the readable text of the message", "body:unsubscribe"),
        .init("text", "text", .text(.anyText), "subject, names, addresses and body", "text:invoice"),
        .init(
            "header:<name>", "text", .header, "any field of the header; without a value: it is there",
            "header:X-Spam-Flag:=yes"),
    ]

    private static let machines: [ConditionEntry] = [
        .init("list-id", "lists and machines", .text(.header("list-id")), "the List-Id field", "list-id:*"),
        .init("list", "lists and machines", .text(.header("list-id")), "short for list-id", "list:swift"),
        .init(
            "list-unsubscribe", "lists and machines", .text(.header("list-unsubscribe")),
            "the List-Unsubscribe field", "list-unsubscribe:*"),
        .init(
            "precedence", "lists and machines", .text(.header("precedence")), "the Precedence field",
            "precedence:=bulk"),
        .init(
            "auto-submitted", "lists and machines", .text(.header("auto-submitted")),
            "the Auto-Submitted field", "auto-submitted:auto-replied"),
        .init(
            "is:bulk", "lists and machines", .state(.bulk),
            "has List-Id or List-Unsubscribe, or Precedence bulk, list or junk", "is:bulk"),
        .init("is:bounce", "lists and machines", .state(.bounce), "a delivery report", "is:bounce"),
        .init("is:invite", "lists and machines", .state(.invite), "carries a calendar part", "is:invite"),
    ]

    private static let structure: [ConditionEntry] = [
        .init("has:attachment", "structure", .state(.hasAttachment), "has a file attached", "has:attachment"),
        .init("has:pdf", "structure", .state(.hasPDF), "has a PDF attached", "has:pdf"),
        .init("has:invite", "structure", .state(.invite), "the same as is:invite", "has:invite"),
        .init(
            "attachment:name", "structure", .text(.attachmentName), "the name of an attached file",
            "attachment:name:*.pdf"),
        .init(
            "attachment:type", "structure", .text(.attachmentType), "the MIME type of an attached file",
            "attachment:type:image/*"),
        .init(
            "attachment:size", "structure", .number(.attachmentSize), "the size of an attached file",
            "attachment:size>5M"),
        .init("size", "structure", .number(.size), "the size of the message", "size>2M"),
    ]

    private static let state: [ConditionEntry] = [
        .init("is:unread", "state", .state(.unread), "not read yet", "is:unread"),
        .init("is:read", "state", .state(.read), "read", "is:read"),
        .init("is:flagged", "state", .state(.flagged), "flagged, starred", "is:flagged"),
        .init("is:answered", "state", .state(.answered), "answered", "is:answered"),
        .init("is:draft", "state", .state(.draft), "a draft", "is:draft"),
        .init("keyword", "state", .keyword, "has this label", "keyword:project-x"),
        .init("label", "state", .keyword, "the same as keyword", "label:reading"),
        .init("in", "state", .mailbox, "stands in this mailbox, or in the one with this role", "in:archive"),
        .init(
            "has:open-task", "tasks", .state(.hasOpenTask), "its conversation has an open task",
            "has:open-task"),
        .init("matched", "logic", .rule, "the conditions of that rule hold", "matched:invoice-to-pay"),
    ]

    private static let time: [ConditionEntry] = [
        .init("age", "time", .age(.age), "time since the message's date", "age>3d"),
        .init("older", "time", .age(.older), "older than this", "older:7d"),
        .init("newer", "time", .age(.newer), "newer than this", "newer:2w"),
        .init("date", "time", .time(.date), "the message's date (sent, else received)", "date>=2026-01-01"),
        .init("sent", "time", .time(.sent), "the Date field", "sent<2026-03-01"),
        .init("received", "time", .time(.received), "when it arrived", "received:today"),
        .init("weekday", "time", .weekday, "the day of the week of the message's date", "weekday:sat"),
    ]

    /// `thread:*` stands for the whole family.
    private static let later: [ConditionEntry] = [
        .init("delivered-to", "later", .notYet("use header:Delivered-To:"), "", ""),
        .init("return-path", "later", .notYet("use header:Return-Path:"), "", ""),
        .init("is:receipt", "later", .notYet(nil), "", ""),
        .init("is:signed", "later", .notYet("use header:Content-Type:multipart/signed"), "", ""),
        .init("is:encrypted", "later", .notYet("use header:Content-Type:multipart/encrypted"), "", ""),
        .init("time", "later", .notYet(nil), "", ""),
        .init("thread:*", "later", .notYet(nil), "", ""),
        .init("task:*", "later", .notYet("use has:open-task"), "", ""),
        .init("auth:*", "later", .notYet(nil), "", ""),
        .init("dkim", "later", .notYet(nil), "", ""),
        .init("spf", "later", .notYet(nil), "", ""),
        .init("signed:*", "later", .notYet(nil), "", ""),
        .init("sender:first-seen", "later", .notYet("use from:known"), "", ""),
        .init("sender:count", "later", .notYet(nil), "", ""),
    ]

    private static let byName = Dictionary(uniqueKeysWithValues: entries.map { ($0.name, $0) })

    /// Words before a colon that have a second word: `is`, `has`, `attachment`.
    static let families = Set(
        entries.compactMap { entry in
            entry.name.contains("<")
                ? nil : entry.name.split(separator: ":").dropLast().first.map(String.init)
        })

    /// The entry of a full name such as `from` or `is:unread`; `header:<name>` is asked for by that name.
    static func entry(_ name: String) -> ConditionEntry? {
        if let entry = byName[name] { return entry }
        guard let family = name.split(separator: ":").first, name.contains(":") else { return nil }
        return byName["\(family):*"]
    }

    /// What can be written today, for "did you mean".
    static let names: [String] =
        entries.filter(\.isAvailable).map(\.name)
        .map { $0 == "header:<name>" ? "header" : $0 } + ["has", "is", "attachment"]

    static func words(ofFamily family: String) -> [String] {
        entries.filter { $0.isAvailable && $0.name.hasPrefix(family + ":") }
            .map { String($0.name.dropFirst(family.count + 1)) }
    }
}

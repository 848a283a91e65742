/// What a condition tests, which determines its possible values.
enum ConditionMeaning: Sendable {
    case address(AddressField)
    case text(TextField)
    case header
    case amount(Amount)
    case age(AgeSense)
    case time(TimeField)
    case weekday
    case state(State)
    case keyword
    case mailbox
    case rule
    case clock
    /// A query over the messages of the conversation.
    case thread
    case taskList
    case waited
    case authentication(AuthenticationMethod)
    case identity(IdentityField)

    var isHeader: Bool { if case .header = self { true } else { false } }

    var valueHelp: String {
        switch self {
        case .address: "ana@x.org, @x.org, *@x.org, me, known, @list, or a name"
        case .text, .header: "word, \"phrase\", =exact, *glob*, /regex/i"
        case .amount(let amount):
            switch amount.unit {
            case .bytes: "<2M, >=100K, 5000"
            case .count: "<3, >=10, 1"
            case .month: "dec, 12, >=nov"
            case .money: ">100, >=99.90 EUR, <5 USD"
            }
        case .time(.event): "a date, with <, <=, >, >= before it; past, before:DATE, after:DATE"
        case .age: "7d, 36h, 2 weeks"
        case .time: "a date, with <, <=, >, >= before it"
        case .weekday: "mon … sun, or mon-fri"
        case .keyword: "a label, or *glob*"
        case .mailbox: "a mailbox or its role"
        case .rule: "the id of a rule"
        case .clock: "08:00-18:00, or <9am, >=18:00"
        case .thread: "a query in brackets"
        case .taskList: "a list of tasks, or *glob*"
        case .waited: "7d, >2 weeks, <36h"
        case .authentication: "pass, fail, none …"
        case .identity: "an id, or *glob*"
        case .state: ""
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
    /// Delivered-To, X-Original-To and Envelope-To: the envelope recipient.
    case deliveredTo
    case returnPath
}

enum TextField: Hashable, Sendable {
    case subject
    case body
    /// Subject, addresses, body, and the text of attachments if it was extracted.
    case anyText
    case attachmentName
    case attachmentType
    /// If it was extracted.
    case attachmentText
    /// A header field, by its lower-case name.
    case header(String)
}

/// The methods in `Authentication-Results`. RFC 8601 §2.7.
enum AuthenticationMethod: String, Sendable {
    case dmarc
    case dkim
    case spf
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
    /// The start of the event in a calendar part.
    case event
}

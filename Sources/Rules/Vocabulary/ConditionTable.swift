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

enum ConditionTable {
    static let entries: [ConditionEntry] =
        addresses + texts + machines + structure + state + threads + tasks + trust + senders + logic + time

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
        .init(
            "delivered-to", "addresses", .address(.deliveredTo), "where the envelope went",
            "delivered-to:shop@me.example"),
        .init(
            "return-path", "addresses", .address(.returnPath), "the sender of the envelope",
            "return-path:@bounces.example"),
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
        .init(
            "is:receipt", "lists and machines", .state(.receipt), "says that a mail of yours was read",
            "is:receipt"),
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
        .init("is:signed", "structure", .state(.signed), "carries a signature", "is:signed"),
        .init("is:encrypted", "structure", .state(.encrypted), "is encrypted", "is:encrypted"),
    ]

    private static let state: [ConditionEntry] = [
        .init("is:unread", "state", .state(.unread), "not read yet", "is:unread"),
        .init("is:read", "state", .state(.read), "read", "is:read"),
        .init("is:flagged", "state", .state(.flagged), "flagged, starred", "is:flagged"),
        .init("is:answered", "state", .state(.answered), "answered", "is:answered"),
        .init("is:draft", "state", .state(.draft), "a draft", "is:draft"),
        .init(
            "is:duplicate", "state", .state(.duplicate),
            "a message with its Message-ID came earlier, and is here; not in Sent, Drafts or Junk",
            "is:duplicate"),
        .init("keyword", "state", .keyword, "has this label", "keyword:project-x"),
        .init("label", "state", .keyword, "the same as keyword", "label:reading"),
        .init("in", "state", .mailbox, "stands in this mailbox, or in the one with this role", "in:archive"),
    ]

    private static let threads: [ConditionEntry] = [
        .init("thread:size", "thread", .count(.threadSize), "messages of its conversation", "thread:size>5"),
        .init(
            "thread:unanswered", "thread", .state(.threadUnanswered),
            "you have not written since their last word",
            "thread:unanswered"),
        .init(
            "thread:i-replied", "thread", .state(.threadReplied), "you have written in it", "thread:i-replied"
        ),
        .init(
            "thread:waiting-for", "thread", .state(.threadWaiting), "nobody has answered your last word",
            "thread:waiting-for"),
        .init(
            "thread:has", "thread", .thread, "some message of it is one of these",
            "thread:has(from:bob has:pdf)"),
    ]

    private static let tasks: [ConditionEntry] = [
        .init(
            "has:open-task", "tasks", .state(.hasOpenTask), "its conversation has an open task",
            "has:open-task"),
        .init("task:list", "tasks", .taskList, "has an open task on this list", "task:list:next"),
        .init(
            "task:waiting", "tasks", .state(.taskWaiting), "has an open task that waits for somebody",
            "task:waiting"),
        .init(
            "task:overdue", "tasks", .state(.taskOverdue), "has an open task past its due date",
            "task:overdue"),
        .init("task:waited", "tasks", .waited, "how long its task waits for somebody", "task:waited>7d"),
    ]

    private static let trust: [ConditionEntry] = [
        .init(
            "auth:dmarc", "trust", .authentication(.dmarc), "what a server that you trust says",
            "auth:dmarc=pass"),
        .init("auth:dkim", "trust", .authentication(.dkim), "the same for DKIM", "auth:dkim=pass"),
        .init("auth:spf", "trust", .authentication(.spf), "the same for SPF", "auth:spf=fail"),
        .init(
            "signed:valid", "trust", .state(.signedValid),
            "the whole message is signed by its From: S/MIME, and the certificate is trusted",
            "signed:valid"),
        .init(
            "signed:broken", "trust", .state(.signedBroken), "the text was changed after it was signed",
            "signed:broken"),
    ]

    private static let senders: [ConditionEntry] = [
        .init(
            "sender:first-seen", "sender", .state(.firstSeen), "nothing else of its writer is here",
            "sender:first-seen"),
        .init("sender:count", "sender", .count(.senderCount), "messages of its writer", "sender:count>=10"),
    ]

    private static let logic: [ConditionEntry] = [
        .init("matched", "logic", .rule, "the conditions of that rule hold", "matched:invoice-to-pay")
    ]

    private static let time: [ConditionEntry] = [
        .init("age", "time", .age(.age), "time since the message's date", "age>3d"),
        .init("older", "time", .age(.older), "older than this", "older:7d"),
        .init("newer", "time", .age(.newer), "newer than this", "newer:2w"),
        .init("date", "time", .time(.date), "the message's date (sent, else received)", "date>=2026-01-01"),
        .init("sent", "time", .time(.sent), "the Date field", "sent<2026-03-01"),
        .init("received", "time", .time(.received), "when it arrived", "received:today"),
        .init("weekday", "time", .weekday, "the day of the week of the message's date", "weekday:sat"),
        .init("time", "time", .clock, "the time of day of the message's date", "time:08:00-18:00"),
    ]

    private static let byName = Dictionary(uniqueKeysWithValues: entries.map { ($0.name, $0) })

    /// Words before a colon that have a second word: `is`, `has`, `attachment`, `thread`, `task`, `auth`, `sender`.
    static let families = Set(
        entries.compactMap { entry in
            entry.name.contains("<")
                ? nil : entry.name.split(separator: ":").dropLast().first.map(String.init)
        })

    /// The entry of a full name such as `from` or `is:unread`; `header:<name>` is asked for by that name.
    static func entry(_ name: String) -> ConditionEntry? { byName[name] }

    /// What can be written, for "did you mean".
    static let names: [String] =
        entries.map(\.name).map { $0 == "header:<name>" ? "header" : $0 } + families.sorted()

    static func words(ofFamily family: String) -> [String] {
        entries.filter { $0.name.hasPrefix(family + ":") }
            .map { String($0.name.dropFirst(family.count + 1)) }
    }
}

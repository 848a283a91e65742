import Models

@testable import Planner

/// Values that the tests of this folder share.
enum Sample {
    static let account = AccountID("work")
    static let inbox = mailbox("INBOX", .inbox)
    static let archive = mailbox("Archive", .archive)
    static let deferred = mailbox("Deferred", .deferred)
    static let drafts = mailbox("Drafts", .drafts)
    static let sent = mailbox("Sent", .sent)
    static let projects = mailbox("Projects", nil)
    static let now = Timestamp(seconds: 1_773_129_600)  // 2026-03-10T08:00:00Z

    static let context = StepContext(
        account: account, inbox: inbox,
        mailboxes: [.archive: archive, .deferred: deferred, .drafts: drafts, .sent: sent], now: now,
        timeZone: "Europe/Paris")

    static func mailbox(_ name: String, _ role: MailboxRole?) -> Mailbox {
        Mailbox(account: account, name: MailboxName(name), displayName: name, delimiter: "/", role: role)
    }

    static func key(_ uid: UInt32, in mailbox: Mailbox = inbox) -> MessageKey {
        MessageKey(account: account, mailbox: mailbox.name, uidValidity: 1, uid: uid)
    }

    /// Message number `uid`, which arrived `uid` minutes after the first.
    static func facts(_ uid: UInt32, thread: String = "t") -> MessageFacts {
        var facts = MessageFacts(
            id: EmailID(rawValue: "m\(uid)"), key: key(uid), mailbox: inbox,
            thread: ThreadID(rawValue: thread),
            received: Timestamp(seconds: 1_773_000_000 + Int64(uid) * 60))
        facts.messageID = MessageID("m\(uid)@example.org")
        facts.subject = "Subject \(uid)"
        facts.from = [EmailAddress(displayName: "Ana", localPart: "ana", domain: "example.org")]
        return facts
    }

    static func decision(_ rule: String, _ action: Action) -> Plan.Decision {
        Plan.Decision(rule: rule, action: action)
    }

    static func task(_ title: String = "Do it") -> Action { .task(TodoDraft(summary: title)) }

    /// A plan whose judge is a table from UID to decisions.
    static func plan(
        _ inbox: [MessageFacts], _ judgements: [UInt32: Judgement], todoRules: [TodoID: String] = [:]
    ) -> Plan {
        var plan = Plan(account: account, now: now, timeZone: "Europe/Paris", origin: .rules(digest: "d1"))
        plan.items = Planning.items(inbox: inbox, account: account, todoRules: todoRules) {
            judgements[$0.key.uid] ?? Judgement()
        }
        return plan
    }

    static func work(_ plan: Plan) throws -> QueuedWork {
        try Planning.work(for: plan, context: context) { delegation, item in
            ComposedMail(
                message: Array("mail".utf8), messageID: MessageID("d-\(item.message)@opus"),
                reversePath: "me@example.org", forwardPaths: [delegation.to.addrSpec])
        }
    }
}

extension Step.Kind {
    /// One word and a target, for tests that read like a list.
    var summary: String {
        switch self {
        case .createTodo(let todo): "task \(todo.list)"
        case .updateTodo(let id, _): "update \(id)"
        case .append(let mailbox, _, let flags, _):
            "append \(mailbox.name) " + flags.sorted().map(\.rawValue).joined(separator: ",")
        case .submit(_, let paths, _, _): "submit \(paths.joined(separator: ","))"
        case .store(let key, let add, let remove, let labels, let unlabels):
            (["store \(key.uid)"] + add.sorted().map { "+\($0)" } + remove.sorted().map { "-\($0)" }
                + labels.sorted().map { "+\($0)" } + unlabels.sorted().map { "-\($0)" }).joined(
                    separator: " ")
        case .move(let key, to: let mailbox): "move \(key.uid) \(mailbox.name)"
        case .removeTodo(let id, digest: _): "remove \(id)"
        case .restoreTodo(let id, let path, content: _, digest: _): "restore \(id) \(path)"
        case .remove(let key, token: _, versions: _): "expunge \(key.uid)"
        case .wait(until: let until?, before: _): "wait " + until.word
        case .wait(until: nil, before: _): "no wait"
        case .saveFile(let section, let folder, let name):
            "save \(section) \(SavedFiles.path(name, in: folder))"
        case .removeFile(let path, digest: _): "remove file \(path)"
        case .list(let list, let entry, let isListed):
            "\(isListed ? "list" : "unlist") \(entry) \(list.rawValue)"
        case .createMailbox(let mailbox): "make \(mailbox.name)"
        case .editThreads: "edit threads"
        }
    }
}

import Models

/// Converts the mail of a rule test to facts, with its context.
extension RuleTest.Mail {
    /// The facts of the mail, in one mailbox of the account.
    func facts(account: AccountID, context: RuleContext) -> MessageFacts {
        let role = MailboxRole(rawValue: mailbox.lowercased())
        let box = Mailbox(account: account, name: MailboxName(mailbox), displayName: mailbox, role: role)
        let key = MessageKey(account: account, mailbox: box.name, uidValidity: 1, uid: 1)
        let written = Self.time(date, context)
        var facts = MessageFacts(
            id: EmailID(rawValue: "test"), key: key, mailbox: box, thread: ThreadID(rawValue: "test"),
            received: written ?? context.now)
        facts.from = addresses["from"] ?? []
        facts.to = addresses["to"] ?? []
        facts.cc = addresses["cc"] ?? []
        facts.bcc = addresses["bcc"] ?? []
        facts.replyTo = addresses["reply-to"] ?? []
        facts.sender = addresses["sender"] ?? []
        facts.messageID = MessageID("test@opus.example")
        facts.subject = subject
        facts.sent = written ?? context.now
        facts.size = size
        facts.flags = flags
        facts.keywords = keywords
        facts.headers = headers
        if !authentication.isEmpty {
            let results = authentication.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            let body = ([Self.server] + results).joined(separator: "; ")
            facts.headers.insert(HeaderField(name: "Authentication-Results", body: body), at: 0)
        }
        facts.text = text
        facts.attachments = attachments
        facts.signature = signature.map { SignatureVerdict($0, signer: facts.from.first?.addrSpec ?? "") }
        facts.event = event.flatMap {
            DatePhrase.resolve($0, now: context.now, timeZone: context.timeZone, dayFirst: context.dayFirst)
        }.map { Self.event($0) }
        facts.openTodos = (hasOpenTask ? [TodoID("test")] : []) + tasks.indices.map { Self.todoID($0) }
        return facts
    }

    /// The conversation, the tasks, the writer and the server of the test.
    func surround(_ context: inout RuleContext, _ facts: MessageFacts) {
        let others = thread.enumerated().map { index, mail in
            var other = mail.facts(account: facts.key.account, context: context)
            other.id = EmailID(rawValue: "test-\(index)")
            // Mail that is earlier in the file was written earlier, unless it has a date.
            if mail.date == nil {
                other.sent = facts.date - Int64(thread.count - index) * 60
                other.received = other.date
            }
            return other
        }
        context.threads = [facts.thread: others + [facts]]
        let texts = Dictionary(
            zip(others + [facts], thread + [self]).map { ($0.id, $1.fileTexts.joined(separator: "\n")) },
            uniquingKeysWith: { first, _ in first })
        context.fileText = { texts[$0] }
        context.earlierCopies = [:]
        for (mail, copy) in zip(thread + [self], others + [facts]) where mail.isDuplicate {
            context.earlierCopies?[copy.id] = copy.received - 60
        }
        for (index, task) in tasks.enumerated() {
            var todo = Todo(id: Self.todoID(index), list: task.list, summary: "test")
            todo.due = task.due.flatMap {
                DatePhrase.resolve(
                    $0, now: context.now, timeZone: context.timeZone, dayFirst: context.dayFirst)
            }
            todo.created = Self.time(task.created, context)
            context.todos[todo.id] = todo
        }
        context.answered = Set(tasks.indices.filter { tasks[$0].isAnswered }.map { Self.todoID($0) })
        context.returned = isBack ? [facts.id] : []
        if let writer = facts.from.first { context.senderCounts = [writer.comparable: senderCount] }
        if let writer = facts.from.first {
            let before = Self.time(senderLast, context).map { [$0] } ?? []
            context.senderTimes = [writer.comparable: before + [facts.received]]
        }
        context.authenticationServers = [Self.server]
    }

    /// An hour long, or a day.
    private static func event(_ start: TodoDate) -> EventFacts {
        let over: TodoDate =
            switch start {
            case .date(let day): .date(day.adding(days: 1))
            case .instant(let time): .instant(time + 3_600)
            case .local(let local, zone: let zone):
                .local(LocalDateTime(secondsSinceEpoch: local.secondsSinceEpoch + 3_600), zone: zone)
            }
        return EventFacts(start: start, over: over)
    }

    private static let server = "server.test"

    private static func todoID(_ index: Int) -> TodoID { TodoID("test-\(index)") }

    private static func time(_ phrase: String?, _ context: RuleContext) -> Timestamp? {
        phrase.flatMap {
            DatePhrase.resolve($0, now: context.now, timeZone: context.timeZone, dayFirst: context.dayFirst)
        }.flatMap { DatePhrase.instant(of: $0, timeZone: context.timeZone) }
    }
}

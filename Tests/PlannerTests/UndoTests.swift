import Crypto
import Models
import Testing

@testable import Planner

/// The inverse of each kind of step, from where things are now.
@Suite struct UndoTests {
    private static let id = EmailID(rawValue: "m1")
    private static let archived = key(9, in: Sample.archive)

    private static func key(_ uid: UInt32, in mailbox: Mailbox) -> MessageKey { Sample.key(uid, in: mailbox) }

    private static func step(_ kind: Step.Kind, _ state: Step.State = .confirmed, row: Int64 = 1) -> Step {
        var step = Step(idempotencyKey: "k\(row)", message: id, cause: .rule("pay"), kind: kind)
        step.id = row
        step.state = state
        return step
    }

    private static func facts(
        _ places: [(Mailbox, UInt32)] = [], flags: Set<Flag> = [], keywords: Set<Keyword> = [],
        todos: [TodoID: String] = [:]
    ) -> Undo.Facts {
        var facts = Undo.Facts(context: Sample.context)
        facts.mailboxes = Dictionary(
            uniqueKeysWithValues: [Sample.inbox, Sample.archive, Sample.deferred, Sample.projects].map {
                ($0.name, $0)
            })
        facts.places[id] = places.map {
            MessagePlace(
                message: id, key: key($0.1, in: $0.0), mailbox: $0.0, flags: flags, keywords: keywords)
        }
        facts.todos = todos
        return facts
    }

    private static func summary(_ answer: Undo.Answer?) -> String {
        switch answer {
        case .inverse(let step): step.kind.summary
        case .release(let step, let reason): "\(step.kind.summary), but \(reason)"
        case .cancel: "cancel"
        case .nothing(let reason): "nothing: " + reason
        case .sent: "nothing: sent"
        case .cannot(let reason): "cannot: " + reason
        case nil: "none"
        }
    }

    // MARK: States

    @Test(
        arguments: zip(
            Step.State.allCases,
            [
                "cancel", "cancel",
                "cannot: it is not known yet whether it happened; run opus run, then undo it",
                "cannot: it is not known yet whether it happened; run opus run, then undo it",
                "cannot: it is not known yet whether it happened; run opus run, then undo it",
                "cannot: already sent to bob@acme.example", "none",
                "cannot: opus cannot tell whether it was sent", "none",
            ]))
    func `undoing a mail depends on how far its submission got`(_ state: Step.State, _ expected: String) {
        let kind = Step.Kind.submit(
            reversePath: "me@example.org", forwardPaths: ["bob@acme.example"], message: [],
            token: MessageID("x"))
        #expect(Self.summary(Undo.inverse(of: Self.step(kind, state), now: Self.facts())) == expected)
    }

    @Test func `the draft of a mail that was sent is not put back, and another removed draft is`() {
        let submit = Step.Kind.submit(
            reversePath: "me@example.org", forwardPaths: ["bob@acme.example"], message: [],
            token: MessageID("x"))
        let drafts = MailboxName("Drafts")
        let removal = Self.step(
            .remove(
                MessageKey(account: Sample.account, mailbox: drafts, uidValidity: 1, uid: 4),
                token: MessageID("d"),
                versions: nil), row: 2)
        let summaries = { (steps: [Step]) in
            Undo.items(for: steps, now: Self.facts()).map { Self.summary($0.answer) }
        }
        #expect(
            summaries([Self.step(submit), removal]) == [
                "nothing: its mail was sent, so the draft does not come back",
                "cannot: already sent to bob@acme.example",
            ])
        #expect(
            summaries([Self.step(submit, .needsDecision), removal]) == [
                "nothing: its mail may have been sent, so the draft does not come back",
                "cannot: opus cannot tell whether it was sent",
            ])
        #expect(summaries([removal]) == ["cannot: it was removed for good"])
        #expect(summaries([Self.step(submit, .cancelled), removal]) == ["cannot: it was removed for good"])
    }

    @Test func `what still has to follow a sent mail is not cancelled`() {
        let submit = Step.Kind.submit(
            reversePath: "me@example.org", forwardPaths: ["bob@acme.example"], message: [],
            token: MessageID("x"))
        let place = Self.key(4, in: Sample.drafts)
        let steps = { (state: Step.State) in
            [
                Self.step(
                    .append(to: Sample.drafts, message: [], flags: [.draft], token: MessageID("d")), row: 1),
                Self.step(submit, state, row: 2),
                Self.step(
                    .append(to: Sample.sent, message: [], flags: [.seen], token: MessageID("x")), .ready,
                    row: 3),
                Self.step(.remove(place, token: MessageID("d"), versions: nil), .ready, row: 4),
                Self.step(
                    .store(
                        Self.key(1, in: Sample.inbox), addFlags: [.answered], removeFlags: [],
                        addKeywords: [],
                        removeKeywords: []), .ready, row: 5),
            ]
        }
        let summaries = { Undo.items(for: steps($0), now: Self.facts()).map { Self.summary($0.answer) } }
        #expect(
            summaries(.confirmed) == [
                "nothing: its answer was sent", "nothing: its mail was sent: the draft is still removed",
                "nothing: its mail was sent: the copy still follows",
                "cannot: already sent to bob@acme.example", "nothing: sent",
            ])
        #expect(summaries(.ready).prefix(4) == ["cancel", "cancel", "cancel", "cancel"])
    }

    // MARK: Moves

    @Test func `a message is moved back from the place where the run put it`() {
        var step = Self.step(.move(Self.key(1, in: Sample.inbox), to: Sample.archive))
        step.outcome.place = Self.archived
        let now = Self.facts([(Sample.archive, 4), (Sample.archive, 9)])
        #expect(Self.summary(Undo.inverse(of: step, now: now)) == "move 9 INBOX")
    }

    @Test func `a move that found its message there already undoes nothing besides the move that brought it`()
    {
        let first = Self.step(.move(Self.key(1, in: Sample.projects), to: Sample.archive), row: 1)
        var second = Self.step(.move(Self.key(5, in: Sample.inbox), to: Sample.archive), row: 2)
        second.proof = Step.Proof(.alreadyIn, "Archive")
        let summaries = { (places: [(Mailbox, UInt32)]) in
            Undo.items(for: [first, second], now: Self.facts(places)).map { Self.summary($0.answer) }.sorted()
        }
        #expect(
            summaries([(Sample.archive, 9)]) == ["move 9 Projects", "nothing: it was already in Archive"])
        // Without the message, both say so.
        #expect(summaries([]).allSatisfy { $0.hasPrefix("cannot") })
    }

    @Test(
        arguments: [
            ([(Sample.archive, 12)], "move 12 INBOX"),
            ([(Sample.projects, 3)], "move 3 INBOX"),
            ([(Sample.inbox, 8)], "nothing: it is already back in INBOX"),
            ([(Sample.inbox, 8), (Sample.archive, 5)], "move 5 INBOX"),
            ([], "cannot: it is no longer in any mailbox of the account"),
        ] as [([(Mailbox, UInt32)], String)])
    func `a message moved by another program is found`(_ places: [(Mailbox, UInt32)], _ expected: String) {
        var step = Self.step(.move(Self.key(1, in: Sample.inbox), to: Sample.archive))
        step.outcome.place = Self.archived
        #expect(Self.summary(Undo.inverse(of: step, now: Self.facts(places))) == expected)
    }

    @Test func `two copies are moved back separately`() {
        let steps = [
            Self.step(.move(Self.key(1, in: Sample.inbox), to: Sample.archive), row: 1),
            Self.step(.move(Self.key(2, in: Sample.inbox), to: Sample.archive), row: 2),
        ]
        let items = Undo.items(for: steps, now: Self.facts([(Sample.archive, 5), (Sample.archive, 6)]))
        #expect(items.map { Self.summary($0.answer) } == ["move 5 INBOX", "move 6 INBOX"])
    }

    @Test
    func
        `a deferral ends when the message moves back, and one that is restored without a date lasts until the next morning`()
    {
        let deferred = Self.step(.move(Self.key(1, in: Sample.inbox), to: Sample.deferred))
        let out = Undo.work(
            Undo.items(for: [deferred], now: Self.facts([(Sample.deferred, 2)])), Sample.context)
        #expect(out.deferrals == [.init(message: Self.id, until: nil)])
        let returned = Self.step(.move(Self.key(1, in: Sample.deferred), to: Sample.inbox))
        let back = Undo.work(
            Undo.items(for: [returned], now: Self.facts([(Sample.inbox, 2)])), Sample.context)
        // 11 March 2026, 08:00 in Paris.
        #expect(back.deferrals == [.init(message: Self.id, until: .time(Timestamp(seconds: 1_773_212_400)))])
    }

    @Test(
        arguments: [
            (.someday, .someday),
            (.time(Timestamp(seconds: 1_775_023_200)), .time(Timestamp(seconds: 1_775_023_200))),
            // It is over: the next morning.
            (.time(Timestamp(seconds: 1_000)), .time(Timestamp(seconds: 1_773_212_400))),
        ] as [(DeferredUntil, DeferredUntil)])
    func `a deferral that the run ended gets its date again`(
        _ before: DeferredUntil, _ expected: DeferredUntil
    ) {
        let cancelled = Self.step(.move(Self.key(1, in: Sample.deferred), to: Sample.inbox), row: 7)
        var now = Self.facts([(Sample.inbox, 2)])
        now.waits = [7: before]
        let back = Undo.work(Undo.items(for: [cancelled], now: now), Sample.context)
        #expect(back.deferrals == [.init(message: Self.id, until: expected)])
    }

    // MARK: Marks

    private static let words: Set<Keyword> = [Keyword("money")]

    @Test func `only the changes of the run are reversed, where the message is now`() {
        var mark = Self.step(
            .store(
                Self.key(1, in: Sample.inbox), addFlags: [.flagged, .seen], removeFlags: [.answered],
                addKeywords: Self.words, removeKeywords: []), row: 1)
        mark.outcome.flagsBefore = [.seen, .answered]
        mark.outcome.keywordsBefore = []
        let move = Self.step(.move(Self.key(1, in: Sample.inbox), to: Sample.archive), row: 2)
        let now = Self.facts([(Sample.archive, 9)], flags: [.flagged, .seen, .draft], keywords: Self.words)
        let items = Undo.items(for: [mark, move], now: now)
        #expect(
            items.map { Self.summary($0.answer) } == ["move 9 INBOX", "store 9 +answered -flagged -money"])
        #expect(Undo.work(items, Sample.context).steps.map(\.undoes) == [2, 1])
    }

    @Test func `a copy moved within its mailbox keeps its place and gets its own marks again`() {
        var mark = Self.step(
            .store(
                Self.key(6, in: Sample.archive), addFlags: [], removeFlags: [], addKeywords: Self.words,
                removeKeywords: []), row: 1)
        mark.outcome.flagsBefore = []
        mark.outcome.keywordsBefore = []
        let move = Self.step(.move(Self.key(6, in: Sample.archive), to: Sample.archive), row: 2)
        let now = Self.facts([(Sample.archive, 5), (Sample.archive, 6)], keywords: Self.words)
        let items = Undo.items(for: [mark, move], now: now)
        #expect(
            items.map { Self.summary($0.answer) } == ["nothing: it never left Archive", "store 6 -money"])
    }

    @Test func `marks are restored on the copy that moved, in any order of steps`() {
        let copies = [(Sample.inbox, UInt32(7)), (Sample.inbox, UInt32(8))]
        var move = Self.step(.move(Self.key(1, in: Sample.archive), to: Sample.inbox), row: 1)
        move.outcome.place = Self.key(8, in: Sample.inbox)
        let mark = Self.step(
            .store(
                Self.key(1, in: Sample.archive), addFlags: [.seen], removeFlags: [], addKeywords: [],
                removeKeywords: []), row: 2)
        for steps in [[move, mark], [mark, move]] {
            let items = Undo.items(for: steps, now: Self.facts(copies, flags: [.seen]))
            #expect(
                Set(items.map { Self.summary($0.answer) }) == ["move 8 Archive", "store 8 -seen"])
        }
    }

    @Test(
        arguments: [
            // The server has given the messages new numbers.
            [(Sample.inbox, 7), (Sample.inbox, 8)],
            // Another program has moved one of the copies.
            [(Sample.inbox, 1), (Sample.archive, 9)], [(Sample.inbox, 2), (Sample.archive, 9)],
        ] as [[(Mailbox, UInt32)]])
    func `marks are restored on each copy of a message`(_ places: [(Mailbox, UInt32)]) {
        let marks = (1...4 as ClosedRange<Int64>).map { row in
            Self.step(
                .store(
                    Self.key(row % 2 == 0 ? 1 : 2, in: Sample.inbox), addFlags: [row < 3 ? .flagged : .seen],
                    removeFlags: [], addKeywords: [], removeKeywords: []), row: row)
        }
        let items = Undo.items(for: marks, now: Self.facts(places, flags: [.flagged, .seen]))
        let expected = places.flatMap { ["store \($0.1) -flagged", "store \($0.1) -seen"] }
        #expect(items.map { Self.summary($0.answer) }.sorted() == expected.sorted())
    }

    @Test func `marks that are already restored are not changed`() {
        let mark = Self.step(
            .store(
                Self.key(1, in: Sample.inbox), addFlags: [.flagged], removeFlags: [], addKeywords: [],
                removeKeywords: []))
        #expect(
            Self.summary(Undo.inverse(of: mark, now: Self.facts([(Sample.inbox, 1)])))
                == "nothing: its flags and labels are as they were")
        #expect(
            Self.summary(Undo.inverse(of: mark, now: Self.facts()))
                == "cannot: the message is no longer in any mailbox of the account")
    }

    /// Two rules: the first marked the message as read, with a label; the second marked it as unread and removed the label.
    private static func opposed() -> [Step] {
        var read = step(
            .store(
                key(1, in: Sample.inbox), addFlags: [.seen], removeFlags: [], addKeywords: words,
                removeKeywords: []), row: 1)
        (read.outcome.flagsBefore, read.outcome.keywordsBefore) = ([], [])
        var unread = step(
            .store(
                key(1, in: Sample.inbox), addFlags: [], removeFlags: [.seen], addKeywords: [],
                removeKeywords: words), row: 2)
        (unread.outcome.flagsBefore, unread.outcome.keywordsBefore) = ([.seen], words)
        return [read, unread]
    }

    @Test func `marks that two steps set and removed are as before both`() {
        let items = Undo.items(for: Self.opposed(), now: Self.facts([(Sample.inbox, 1)]))
        #expect(items.map { Self.summary($0.answer) } == ["store 1 +seen +money", "store 1 -seen -money"])
    }

    @Test func `marks that another program has set since stay, however many steps changed them`() {
        let now = Self.facts([(Sample.inbox, 1)], flags: [.seen], keywords: Self.words)
        let items = Undo.items(for: Self.opposed(), now: now)
        let nothing = "nothing: its flags and labels are as they were"
        #expect(items.map { Self.summary($0.answer) } == [nothing, nothing])
    }

    @Test func `a partly refused mark is removed as far as it was set`() {
        var mark = Self.step(
            .store(
                Self.key(1, in: Sample.inbox), addFlags: [.flagged], removeFlags: [], addKeywords: Self.words,
                removeKeywords: []), .rejected)
        let now = Self.facts([(Sample.inbox, 1)], flags: [.flagged])
        #expect(Self.summary(Undo.inverse(of: mark, now: now)) == "none")
        mark.outcome.flagsBefore = []
        mark.outcome.keywordsBefore = []
        #expect(Self.summary(Undo.inverse(of: mark, now: now)) == "store 1 -flagged")
    }

    // MARK: Task files

    private static let todo = Todo(id: TodoID("t1"), list: .next, summary: "Pay")

    @Test func `an unchanged task is removed, and an edited one is cancelled only with --force`() {
        var step = Self.step(.createTodo(Self.todo))
        #expect(
            Self.summary(Undo.inverse(of: step, now: Self.facts(todos: [Self.todo.id: "d1"])))
                == "cannot: the journal does not record what the step wrote")
        step.outcome.digest = "d1"
        step.outcome.path = "next/t1.ics"
        #expect(
            Self.summary(Undo.inverse(of: step, now: Self.facts(todos: [Self.todo.id: "d1"]))) == "remove t1")
        var moved = Self.facts(todos: [Self.todo.id: "d1"])
        for list in [GTDList.next, .someday] {
            moved.lists[Self.todo.id] = list
            #expect(
                Self.summary(Undo.inverse(of: step, now: moved))
                    == (list == .next
                        ? "remove t1" : "cannot: “Pay” was edited since; --force cancels it instead"))
        }
        #expect(
            Self.summary(Undo.inverse(of: step, now: Self.facts())) == "nothing: its file is already gone")
        var edited = Self.facts(todos: [Self.todo.id: "d2"])
        #expect(
            Self.summary(Undo.inverse(of: step, now: edited))
                == "cannot: “Pay” was edited since; --force cancels it instead")
        edited.isForced = true
        #expect(Self.summary(Undo.inverse(of: step, now: edited)) == "update t1")
        step.outcome.pathBefore = "next/t1.ics"
        #expect(
            Self.summary(Undo.inverse(of: step, now: Self.facts(todos: [Self.todo.id: "d1"])))
                == "nothing: its file was there before")
    }

    @Test func `a changed task gets its former bytes, and a removed one is restored, once each`() {
        var update = Self.step(.updateTodo(Self.todo.id, TodoPatch(status: .cancelled)))
        update.outcome.digest = "d2"
        update.outcome.pathBefore = "next/t1.ics"
        update.outcome.contentBefore = [1, 2]
        #expect(
            Self.summary(Undo.inverse(of: update, now: Self.facts(todos: [Self.todo.id: "d2"])))
                == "restore t1 next/t1.ics")
        #expect(
            Self.summary(Undo.inverse(of: update, now: Self.facts(todos: [Self.todo.id: "d3"])))
                == "cannot: the task was edited since")
        var removal = Self.step(.removeTodo(Self.todo.id, digest: "d1"))
        removal.outcome.pathBefore = "next/t1.ics"
        removal.outcome.contentBefore = [1, 2]
        #expect(Self.summary(Undo.inverse(of: removal, now: Self.facts())) == "restore t1 next/t1.ics")
        #expect(
            Self.summary(Undo.inverse(of: removal, now: Self.facts(todos: [Self.todo.id: "d1"])))
                == "nothing: its file is already back")
    }

    @Test func `what opus noted in a task since is not an edit, and stays in a restored file`() {
        var made = Self.step(.createTodo(Self.todo), row: 1)
        made.outcome.digest = Hex.encode(SHA256.hash([1, 2]))
        made.outcome.path = "waiting/t1.ics"
        var update = Self.step(.updateTodo(Self.todo.id, TodoPatch(list: .next)), row: 2)
        update.outcome.digest = "d2"
        update.outcome.pathBefore = "waiting/t1.ics"
        update.outcome.contentBefore = [1, 2]
        var facts = Self.facts(todos: [Self.todo.id: "d3"])
        facts.noted = [2: Undo.NotedSince(before: [1, 2, 3])]
        let both = Undo.items(for: [made, update], now: facts)
        #expect(both.map { Self.summary($0.answer) } == ["restore t1 waiting/t1.ics", "remove t1"])
        guard case .inverse(let restored)? = both.first?.answer,
            case .inverse(let removal)? = both.last?.answer
        else { return #expect(Bool(false)) }
        #expect(
            restored.kind
                == .restoreTodo(Self.todo.id, path: "waiting/t1.ics", content: [1, 2, 3], digest: "d3"))
        #expect(removal.kind == .removeTodo(Self.todo.id, digest: Hex.encode(SHA256.hash([1, 2, 3]))))
        facts.noted = [1: Undo.NotedSince(), 2: Undo.NotedSince()]
        #expect(
            Undo.items(for: [made, update], now: facts).map { Self.summary($0.answer) } == [
                "cannot: the task was edited since", "remove t1",
            ])
    }

    @Test func `a task that the run made and changed is removed, unless it was edited since`() {
        var made = Self.step(.createTodo(Self.todo), row: 1)
        made.outcome.digest = Hex.encode(SHA256.hash([1, 2]))
        made.outcome.path = "waiting/t1.ics"
        var update = Self.step(.updateTodo(Self.todo.id, TodoPatch(list: .next)), row: 2)
        update.outcome.digest = "d2"
        update.outcome.pathBefore = "waiting/t1.ics"
        update.outcome.contentBefore = [1, 2]
        let answers = { (present: String) in
            Undo.items(for: [made, update], now: Self.facts(todos: [Self.todo.id: present])).map {
                Self.summary($0.answer)
            }
        }
        #expect(answers("d2") == ["restore t1 waiting/t1.ics", "remove t1"])
        #expect(
            answers("d3") == [
                "cannot: the task was edited since",
                "cannot: “Pay” was edited since; --force cancels it instead",
            ])
    }

    // MARK: Messages of ours

    @Test func `a draft is removed, and restored from the step that made it`() {
        let drafts = Sample.drafts
        let append = Self.step(
            .append(to: drafts, message: [7], flags: [.draft], token: MessageID("d")), row: 5)
        var now = Self.facts()
        #expect(Self.summary(Undo.inverse(of: append, now: now)) == "nothing: it is no longer in Drafts")
        let draft = EmailID(rawValue: "draft")
        now.appended[MessageID("d")] = draft
        now.places[draft] = [
            .init(
                message: draft, key: Self.key(3, in: drafts), mailbox: drafts, flags: [.draft], keywords: [])
        ]
        guard case .inverse(let removal)? = Undo.inverse(of: append, now: now) else {
            Issue.record("no inverse")
            return
        }
        #expect(removal.kind == .remove(Self.key(3, in: drafts), token: MessageID("d"), versions: nil))
        #expect(removal.message == draft)
        var done = removal
        done.id = 6
        done.state = .confirmed
        now.originals[5] = append
        #expect(Self.summary(Undo.inverse(of: done, now: now)) == "append Drafts draft")
        let copy = Self.step(.append(to: Sample.sent, message: [7], flags: [.seen], token: MessageID("d")))
        #expect(Self.summary(Undo.inverse(of: copy, now: now)) == "cannot: the copy of a sent mail stays")
    }

    // MARK: Orders

    @Test func `a message of an order moves back to its earlier mailbox, never to the command mailbox`() {
        let command = Mailbox(
            account: Sample.inbox.account, name: MailboxName("Opus/Task"), displayName: "Opus/Task")
        let move = Self.step(.move(Self.key(3, in: command), to: Sample.archive))
        var now = Self.facts([(Sample.archive, 9)])
        let plain = Undo.inverse(of: move, now: now)
        now.commandMailboxes = [command.name]
        let unknown = Undo.inverse(of: move, now: now)
        now.homes[Self.key(3, in: command)] = Sample.projects.name
        let known = Undo.inverse(of: move, now: now)
        let destinations = [plain, unknown, known].map { answer -> String? in
            guard case .inverse(let step)? = answer, case .move(_, let mailbox) = step.kind else {
                return nil
            }
            return mailbox.name.description
        }
        #expect(
            destinations == [
                command.name.description, Sample.inbox.name.description, Sample.projects.name.description,
            ])
    }

    @Test func `a sender is removed from a list only if the step added it`() {
        var listed = Self.step(.list(.denied, entry: "eve@x.example", isListed: true))
        #expect(
            Self.summary(Undo.inverse(of: listed, now: Self.facts()))
                == "nothing: the step did not change lists/denied.txt")
        listed.outcome.path = SenderList.denied.path
        #expect(Self.summary(Undo.inverse(of: listed, now: Self.facts())) == "unlist eve@x.example denied")
    }

    // MARK: Saved files

    @Test func `an unchanged saved file is removed, and saved again when that is undone`() {
        var save = Self.step(.saveFile(section: "2", folder: "Papers", name: "a.pdf"))
        save.outcome.path = "Papers/a (2).pdf"
        save.outcome.digest = "ours"
        var now = Self.facts()
        let answer = { Self.summary(Undo.inverse(of: save, now: now)) }
        #expect(answer() == "nothing: Papers/a (2).pdf is already gone")
        now.files = ["Papers/a (2).pdf": "theirs"]
        #expect(answer() == "cannot: Papers/a (2).pdf was changed since")
        now.files = ["Papers/a (2).pdf": "ours"]
        #expect(answer() == "remove file Papers/a (2).pdf")
        save.outcome.pathBefore = save.outcome.path
        #expect(answer() == "nothing: the file was there before")
        var removal = Self.step(.removeFile(path: "Papers/a (2).pdf", digest: "ours"), row: 2)
        removal.undoes = 1
        now.originals[1] = save
        #expect(
            Self.summary(Undo.inverse(of: removal, now: now)) == "nothing: Papers/a (2).pdf is already back")
        now.files = [:]
        #expect(Self.summary(Undo.inverse(of: removal, now: now)) == "save 2 Papers/a.pdf")
    }

    @Test func `a file shared by several mails is removed with the last of them`() {
        var first = Self.step(.saveFile(section: "2", folder: "", name: "a.pdf"), row: 1)
        first.outcome.path = "a.pdf"
        first.outcome.digest = "ours"
        var second = Self.step(.saveFile(section: "2", folder: "", name: "a.pdf"), row: 2)
        second.outcome = first.outcome
        second.outcome.pathBefore = "a.pdf"
        var now = Self.facts()
        now.files = ["a.pdf": "ours"]
        let savers = { (firstBack: Int64?, secondBack: Int64?) in
            [
                FileSaver(row: 1, digest: "ours", isMaker: true, undoneBy: firstBack),
                FileSaver(row: 2, digest: "ours", isMaker: false, undoneBy: secondBack),
            ]
        }
        let stays = "remove file a.pdf, but a.pdf stays: another mail has the same file"
        now.savers = ["a.pdf": savers(nil, nil)]
        #expect(Self.summary(Undo.inverse(of: first, now: now)) == stays)
        #expect(Self.summary(Undo.inverse(of: second, now: now)) == stays)
        #expect(
            Undo.items(for: [first, second], now: now).map { Self.summary($0.answer) } == [
                "remove file a.pdf", "remove file a.pdf",
            ])
        now.savers = ["a.pdf": savers(3, nil)]
        #expect(Self.summary(Undo.inverse(of: second, now: now)) == "remove file a.pdf")
        now.savers = ["a.pdf": savers(nil, 3)]
        #expect(Self.summary(Undo.inverse(of: first, now: now)) == "remove file a.pdf")
        // A file with the same name that another program removed and restored.
        second = Self.step(.saveFile(section: "2", folder: "", name: "a.pdf"), row: 4)
        second.outcome = first.outcome
        second.outcome.pathBefore = "a.pdf"
        now.savers = ["a.pdf": [savers(3, nil)[0]]]
        #expect(Self.summary(Undo.inverse(of: second, now: now)) == "nothing: the file was there before")
    }

    // MARK: Runs

    @Test func `steps that are already undone are left out, and each undo is a new run`() {
        let steps = (1...3).map {
            Self.step(.move(Self.key(UInt32($0), in: Sample.inbox), to: Sample.archive), row: Int64($0))
        }
        var now = Self.facts([(Sample.archive, 5), (Sample.archive, 6), (Sample.archive, 7)])
        now.undone = [2: RunID(rawValue: 9)]
        #expect(Undo.items(for: steps, now: now).map(\.step.id) == [3, 1])
        let first = Undo.work(Undo.items(for: steps, now: now), Sample.context).steps.map(\.idempotencyKey)
        now.context.token = "another command"
        let second = Undo.work(Undo.items(for: steps, now: now), Sample.context).steps.map(\.idempotencyKey)
        #expect(Set(first + second).count == 4)
    }

    @Test func `a changed deferral gets its old date`() {
        let later = Sample.now + 2 * 86_400
        let step = Self.step(.wait(until: nil, before: .time(later)))
        #expect(Self.summary(Undo.inverse(of: step, now: Self.facts())) == "wait " + later.rfc3339)
        let over = Self.step(.wait(until: nil, before: .time(Sample.now)))
        #expect(Self.summary(Undo.inverse(of: over, now: Self.facts())) == "wait 2026-03-11T07:00:00Z")
        let first = Self.step(.wait(until: .time(Sample.now), before: nil))
        #expect(Self.summary(Undo.inverse(of: first, now: Self.facts())) == "no wait")
    }

    @Test func `a message that is no longer deferred gets no date, unless the undo defers it again`() {
        let later = Sample.now + 2 * 86_400
        let change = Self.step(.wait(until: .time(Sample.now), before: .time(later)), row: 1)
        var now = Self.facts([(Sample.inbox, 1)])
        now.noLongerDeferred = [Self.id]
        #expect(
            Self.summary(Undo.inverse(of: change, now: now)) == "nothing: the message is no longer deferred")
        var back = Self.step(.move(Self.key(4, in: Sample.deferred), to: Sample.inbox), row: 2)
        back.outcome.place = Self.key(1, in: Sample.inbox)
        let answers = Undo.items(for: [change, back], now: now).map { Self.summary($0.answer) }
        #expect(answers == ["move 1 Deferred", "wait " + later.rfc3339])
    }
}

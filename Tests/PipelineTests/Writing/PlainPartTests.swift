import Accounts
import MIMEParser
import Models
import Rules
import Testing

@testable import Pipeline

/// Parts that need no workspace at all.
@Suite("Parts without a workspace")
struct PlainPartTests {
    // MARK: Writing

    @Test("the short id of a draft is as long as necessary, and at least four characters")
    func draftNames() {
        let ids = (0..<200).map { MessageID("\($0)@x") }
        let names = ids.map { DraftName.short($0, among: ids) }
        #expect(Set(names).count == ids.count)
        #expect(names.allSatisfy { $0.hasPrefix("d:") && $0.count >= 6 })
        #expect(DraftName.short(ids[0], among: []).count == 6)
    }

    @Test("a version of a draft has its own Message-ID, in the same domain")
    func versions() {
        #expect(OpenDraft.versionID(of: MessageID("a.b@x.example"), 3) == MessageID("a.b.draft3@x.example"))
        #expect(OpenDraft.versionID(of: MessageID("odd"), 3) == MessageID("odd"))
    }

    @Test("files beyond the limit are refused, with exact sizes in the error")
    func attachedFiles() throws {
        try AttachedFiles.check(AttachedFiles.limit, adding: "x")
        let refusal = TriageTests.refusal { try AttachedFiles.check(AttachedFiles.limit + 1, adding: "x") }
        #expect(refusal == "too-large 65")
        do {
            try AttachedFiles.check(AttachedFiles.limit + 1, adding: "x")
        } catch {
            #expect(error.message.contains("25.1 MB") && error.message.contains("25 MB"))
        }
    }

    @Test("a limit of sending covers the last hour, and the error says when the next mail may be sent")
    func sendLimits() throws {
        var settings = SendSettings()
        settings.perRun = 3
        settings.perHour = 4
        let limits = SendLimits(settings)
        let now = Workplace.tuesday
        let zone = ZoneClock(zone: "Europe/Paris")
        let sent = [
            SentMail(at: now - 1_800, recipients: ["a@x"]), SentMail(at: now - 3_601, recipients: ["b@x"]),
        ]
        try limits.check(3, sent: sent, now: now, zone: zone)
        #expect(
            TriageTests.refusal { try limits.check(4, sent: [], now: now, zone: zone) } == "send-limit 75")
        let many = sent + [SentMail(at: now - 60, recipients: ["c@x"])]
        do {
            try limits.check(3, sent: many, now: now, zone: zone)
            Issue.record("five mails within the hour were allowed")
        } catch {
            #expect(error.next.first == "the next can be sent at 09:00")
        }
    }

    // MARK: Unsubscribing

    @Test("only one short line of plain text is a command to a list program")
    func commands() {
        #expect(UnsubscribeWords.isCommand("unsubscribe list-17"))
        for text in ["two\nlines", String(repeating: "x", count: 201), "hid\u{200B}den", "bell\u{7}"] {
            #expect(!UnsubscribeWords.isCommand(text), "\(text.prefix(10))")
        }
    }

    @Test(
        "a target is foreign unless it is below the domain of the list or the sender",
        arguments: [
            ("lists.acme.example", false), ("acme.example", false), ("news.other.example", true),
            ("evil-acme.example", true),
        ])
    func strangers(_ target: String, _ isStranger: Bool) {
        let message = MIMEParser.parse(Array("From: a@mail.acme.example\r\nSubject: x\r\n\r\n".utf8))
        #expect((UnsubscribeWords.stranger(target, of: message) != nil) == isStranger)
    }

    @Test("two names below a suffix such as co.uk are different domains")
    func secondLevels() {
        let message = MIMEParser.parse(Array("From: a@shop.co.uk\r\n\r\n".utf8))
        #expect(UnsubscribeWords.stranger("bank.co.uk", of: message) != nil)
        #expect(UnsubscribeWords.stranger("news.shop.co.uk", of: message) == nil)
    }

    // MARK: Tasks

    @Test("a reply becomes one line above the link to the mail, and is not written twice")
    func replyNotes() {
        let notes = ReplyNote.adding("Reply 2026-03-11 from Bob: Re: x", to: "First.\n\nMail: <mid:a@x>")
        #expect(notes == "First.\nReply 2026-03-11 from Bob: Re: x\n\nMail: <mid:a@x>")
        #expect(ReplyNote.count(notes) == 1)
        #expect(ReplyNote.adding("Reply x", to: "") == "Reply x")
        #expect(ReplyNote.adding("Reply x", to: "Mail: <mid:a@x>") == "Reply x\n\nMail: <mid:a@x>")
    }

    // MARK: Rules

    private var noRules: RuleSet { RuleSet.compile([], accounts: [], readList: { _ in nil }).rules }

    @Test(
        "a period means mail since then, and anything else is a query",
        arguments: [("90d", "newer:90d"), ("12 weeks", "newer:12weeks"), ("from:bob", "from:bob")])
    func spans(_ typed: String, _ query: String) throws {
        #expect(try QuerySpan.parse(typed, rules: noRules).text == query)
    }

    @Test("text that is neither a period nor a query is a usage error")
    func badSpan() {
        #expect(throws: DiagnosticFailure.self) {
            try QuerySpan.parse("from:(", rules: noRules)
        }
    }

    @Test("the kind of a mail is its list, or else its sender; a list that needs quotes is ignored")
    func kinds() {
        let place = Mailbox(account: AccountID("work"), name: .inbox, displayName: "INBOX")
        var facts = MessageFacts(
            id: EmailID(rawValue: "a"),
            key: MessageKey(account: AccountID("work"), mailbox: .inbox, uidValidity: 1, uid: 1),
            mailbox: place,
            thread: ThreadID(rawValue: "t"), received: Workplace.tuesday)
        #expect(MailKind(facts) == nil)
        facts.from = [EmailAddress(displayName: "Bob", localPart: "Bob", domain: "Acme.example")]
        #expect(MailKind(facts)?.query == "from:bob@acme.example")
        facts.take(
            MessageContent(
                headers: [HeaderField(name: "List-Id", body: "News <news.acme.example>")], text: nil))
        #expect(MailKind(facts) == .list("news.acme.example"))
        facts.take(MessageContent(headers: [HeaderField(name: "List-Id", body: "<a b>")], text: nil))
        #expect(MailKind(facts) == .sender("bob@acme.example"))
    }
}

import Models
import Testing

@testable import Rules

/// The mail that most tests look at: Ana at Acme writes to us about invoices, 10 March 2026, a Tuesday.
func mail(_ change: (inout MessageFacts) -> Void = { _ in }) -> MessageFacts {
    let inbox = Mailbox(
        account: AccountID("work"), name: .inbox, displayName: "INBOX", delimiter: "/", role: .inbox)
    let sent = Timestamp(seconds: 1_773_126_000)  // 2026-03-10T07:00:00Z
    var facts = MessageFacts(
        id: EmailID(rawValue: "m1"),
        key: MessageKey(account: inbox.account, mailbox: inbox.name, uidValidity: 1, uid: 1),
        mailbox: inbox, thread: ThreadID(rawValue: "m1"), received: sent + 60)
    facts.sent = sent
    facts.from = [EmailAddress(displayName: "Ana Ruiz", localPart: "Ana", domain: "sales.acme.example")]
    facts.to = [EmailAddress(displayName: "Me", localPart: "me", domain: "home.example")]
    facts.cc = [EmailAddress(localPart: "team", domain: "acme.example")]
    facts.subject = "Invoice INV-2041: the Q3  plan"
    facts.text = "Hello,\nplease pay by 31 March.\nÉcole über 東京\n> due 1 January\n"
    facts.size = 3 << 20
    facts.headers = [
        HeaderField(name: "Subject", body: "Invoice"), HeaderField(name: "X-Spam-Flag", body: "YES"),
        HeaderField(name: "X-Empty", body: ""),
        HeaderField(name: "Received", body: "by one"), HeaderField(name: "Received", body: "by two"),
    ]
    facts.attachments = [
        Attachment(name: "INV-2041.pdf", contentType: "application/pdf", size: 200_000, section: "2")
    ]
    facts.keywords = [Keyword("Project-X")]
    change(&facts)
    return facts
}

func context(_ change: (inout RuleContext) -> Void = { _ in }) -> RuleContext {
    // 2026-03-13T09:00:00+01:00, a Friday.
    var context = RuleContext(now: Timestamp(seconds: 1_773_388_800), timeZone: "Europe/Paris")
    context.me = [EmailAddress(localPart: "me", domain: "home.example")]
    context.known = ["ana@sales.acme.example"]
    context.mailboxes = ["INBOX", "Projects/Acme"].map {
        Mailbox(account: AccountID("work"), name: MailboxName($0), displayName: $0)
    }
    change(&context)
    return context
}

struct Refused: Error { let text: String }

/// Rules of one file, which must compile without errors.
func rules(_ text: String, lists: [String: String] = [:]) throws -> RuleSet {
    let (rules, diagnostics) = compile(text, lists: lists)
    if let error = diagnostics.first(where: { $0.severity == .error }) { throw Refused(text: "\(error)") }
    return rules
}

func compile(
    _ text: String, lists: [String: String] = [:], accounts: [AccountID] = []
) -> (rules: RuleSet, diagnostics: [Diagnostic]) {
    RuleSet.compile(
        [.init(file: "rules/a.yaml", text: "rules-version: 1\n" + text)], accounts: accounts,
        readList: { lists[$0] })
}

/// One rule with that `then`, for every message.
func actions(
    _ then: String, when: String = "'*'", _ facts: MessageFacts = mail(), _ context: RuleContext = context()
)
    throws -> Evaluation
{
    let text = "rules:\n  - id: r\n    when: \(when)\n    then: \(then)\n"
    return try rules(text).evaluate(facts, in: context)
}

func query(_ text: String) throws -> Query {
    switch Query.parse(text) {
    case .success(let query): return query
    case .failure(let errors): throw Refused(text: "\(errors.diagnostics)")
    }
}

extension Evaluation {
    var actions: [Action] { decisions.map(\.action) }
    var task: TodoDraft? {
        actions.lazy.compactMap { if case .make(.task(let draft)) = $0 { draft } else { nil } }.first
    }
    var delegation: Delegation? {
        actions.lazy.compactMap { if case .make(.delegate(let value)) = $0 { value } else { nil } }.first
    }
}

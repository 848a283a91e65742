// One mail with a little of everything, for conditions to be asked of.

public import Models
public import Rules

public let sampleContext: RuleContext = {
    var context = RuleContext(now: Timestamp(seconds: 1_773_388_800), timeZone: "Europe/Paris")
    context.me = [EmailAddress(localPart: "me", domain: "home.example")]
    context.known = ["ana@acme.example"]
    context.mailboxes = [sampleMail.mailbox]
    context.authenticationServers = ["mx.home.example"]
    context.threads = [sampleMail.thread: [sampleMail]]
    context.senderCounts = ["ana@acme.example": 3]
    context.earlierCopies = [:]
    return context
}()

public let sampleMail: MessageFacts = {
    let inbox = Mailbox(
        account: AccountID("work"), name: .inbox, displayName: "INBOX", delimiter: "/", role: .inbox)
    var facts = MessageFacts(
        id: EmailID(rawValue: "m1"),
        key: MessageKey(account: inbox.account, mailbox: inbox.name, uidValidity: 1, uid: 1), mailbox: inbox,
        thread: ThreadID(rawValue: "t"), received: Timestamp(seconds: 1_773_126_000))
    facts.from = [EmailAddress(displayName: "Ana Ruiz", localPart: "ana", domain: "acme.example")]
    facts.to = [EmailAddress(localPart: "me", domain: "home.example")]
    facts.subject = "Invoice INV-2041: the Q3 plan, due 31 March"
    facts.text = "Hello,\nplease pay by Friday.\nÉcole über 東京\n"
    facts.size = 3 << 20
    facts.keywords = [Keyword("x")]
    facts.headers = [
        HeaderField(name: "Authentication-Results", body: "mx.home.example; dmarc=pass"),
        HeaderField(name: "List-Id", body: "<a.example>"),
    ]
    return facts
}()

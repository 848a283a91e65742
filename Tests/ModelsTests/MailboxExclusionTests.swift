import Models
import Testing

@Suite struct MailboxExclusionTests {
    private func isLeftOut(_ name: String, _ patterns: [String], delimiter: String = "/") -> Bool {
        MailboxExclusion(patterns).contains(
            Mailbox(
                account: AccountID("a"), name: MailboxName(name), displayName: name, delimiter: delimiter))
    }

    @Test(arguments: [
        ("Public", "Public"), ("public/News", "Public"), ("Public/News/Old", "Public/*"), (".bashrc", ".*"),
        ("Mail/.imap", "*/.*"), ("Lists/Swift/2026", "Lists/%"), ("a", "*"), ("aXbXc", "a*b*c"),
        ("Entwürfe", "ENTWÜRFE"), ("x/Trash", "%/Trash"),
    ])
    func `a pattern matches a mailbox and those below it`(_ name: String, _ pattern: String) {
        #expect(isLeftOut(name, [pattern]))
    }

    @Test(arguments: [
        ("Publication", "Public"), ("My/Public", "Public"), ("a.b", ".*"), ("x/y/Trash", "%/Trash"),
        ("Lists", "Lists/*"), ("ab", "a*b*c"), ("INBOX", "*"), ("a", ""),
    ])
    func `a pattern matches no other mailbox`(_ name: String, _ pattern: String) {
        #expect(!isLeftOut(name, [pattern]))
    }

    @Test func `names are written with slashes, and without the prefix of the server`() {
        #expect(isLeftOut("INBOX.Public.News", ["Public/News"], delimiter: "."))
        #expect(isLeftOut("INBOX.Public.News", ["INBOX/Public"], delimiter: "."))
    }

    @Test(.timeLimit(.minutes(1))) func `many wildcards take little time`() {
        let name = String(repeating: "a", count: 1_000)
        #expect(!isLeftOut(name, [String(repeating: "a*", count: 99) + "b"]))
    }
}

import Models
import Testing

@testable import Rules

@Suite struct TypedQuotesTests {
    @Test(
        "single and typographic quotes are read as quotes if both are present",
        arguments: [
            ("from:'First Last'", #"from:"First Last""#), ("from:“First Last”", #"from:"First Last""#),
            ("subject:‘a b’ is:unread", #"subject:"a b" is:unread"#), ("=x", #"="x""#),
            ("('a b' or c)", #""a b" or c"#), ("subject:'don't panic'", #"subject:"don't panic""#),
            ("subject:='a b'", #"subject:="a b""#), ("subject:'tis", #"subject:\'tis"#),
            ("subject:it's", "subject:it's"), (#"subject:\'a"#, #"subject:\'a"#),
        ])
    func quotes(_ typed: String, _ written: String) throws {
        let query = try Query.parse(typed).get()
        #expect(query.text == written)
        #expect(try Query.parse(query.text).get().text == written, "what is written is read as the same")
    }

    @Test(
        "an address without a top-level domain matches the host alone or followed by a domain",
        arguments: [
            ("from:ana@acme", "ana@acme", true), ("from:ana@acme", "Ana@acme.example", true),
            ("from:ana@acme", "ana@acmecorp.example", false), ("from:ana@acme", "joana@acme.example", false),
            ("from:a.b@acme", "axb@acme.example", false),
            ("from:ana@acme.example", "ana@acme.example.org", false),
            ("from:=ana@acme", "ana@acme.example", false),
        ])
    func hosts(_ typed: String, _ from: String, _ isFound: Bool) throws {
        let address = try #require(EmailAddress(from))
        var facts = mail()
        facts.from = [address]
        #expect(try Query.parse(typed).get().matches(facts, in: context()) == isFound)
    }

    @Test("a query that can never match gives the reason")
    func doubts() throws {
        let mailboxes = [
            Mailbox(account: AccountID("work"), name: MailboxName("Projects"), displayName: "Projects")
        ]
        for (typed, count) in [
            ("is:read is:unread", 1), ("in:Project", 1), ("in:projects", 0), ("in:archive", 0),
            ("-in:Nowhere", 1),
            ("from:ana", 0), ("from:ana -from:ana in:Nowhere", 2),
        ] {
            #expect(try Query.parse(typed).get().doubts(mailboxes: mailboxes).count == count, "\(typed)")
        }
    }
}

import Models
import Testing

@testable import Pipeline

@Suite("Senders that imitate known people")
struct LookalikeTests {
    private let known = [
        EmailAddress(displayName: "Bob Singh", localPart: "bob", domain: "acme.example"),
        EmailAddress(localPart: "ana", domain: "modern.example"),
    ]

    @Test(
        arguments: [
            ("Bob Singh", "b", "evil.example", true), ("Воb Singh", "b", "evil.example", true),
            ("bob@acme.example", "b", "evil.example", true), ("Zed", "z", "acrne.example", true),
            ("Zed", "z", "modem.example", true), ("Zed", "z", "аcme.example", true),
            ("Zed", "z", "acme.example", false), ("Bob Singh", "bob", "acme.example", false),
            ("Zed", "z", "other.example", false), ("Bob", "bob", "other.example", false),
            ("", "z", "x.example", false),
        ])
    func senders(name: String, local: String, domain: String, isAlike: Bool) {
        let sender = EmailAddress(displayName: name, localPart: local, domain: domain)
        #expect((Lookalike.of(sender, among: known) != nil) == isAlike)
    }

    @Test("an address book is a vCard file, or has one address per line")
    func book() {
        let text =
            "BEGIN:VCARD\r\nFN:a@b.example\r\nitem1.EMAIL;TYPE=home:Zed@Y.example\r\nURL:x@z.example\r\nana@q.example # x\r\n"
        #expect(Set(AddressBook.people(in: text).map(\.comparable)) == ["zed@y.example", "ana@q.example"])
    }
}

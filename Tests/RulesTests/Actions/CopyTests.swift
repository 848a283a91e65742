import Models
import Testing

@testable import Rules

/// `copy`: when a copy is made, and when the message is kept instead.
@Suite("Copies")
struct CopyTests {
    private static let copies = Mailbox(account: AccountID("work"), name: MailboxName("A"), displayName: "A")
    private static let drafts = Mailbox(
        account: AccountID("work"), name: MailboxName("D"), displayName: "D", role: .drafts)

    private func evaluation(
        _ then: String, _ change: (inout MessageFacts) -> Void = { $0.messageID = MessageID("m@x.org") }
    ) throws -> Evaluation {
        var context = context()
        context.mailboxes = [Self.copies, Self.drafts]
        let set = try rules("rules:\n  - { id: r, when: '*', then: \(then) }\n")
        return set.evaluate(mail(change), in: context)
    }

    @Test("a copied message stays, or another action moves it")
    func made() throws {
        #expect(try evaluation("{ copy: A }").decisions.map(\.action) == [.copy(to: Self.copies)])
        #expect(
            try evaluation("[{ copy: a }, archive]").decisions.map(\.action)
                == [.copy(to: Self.copies), .archive])
    }

    @Test(
        "if no copy can be made, the message is kept with a warning",
        arguments: ["[{ copy: Nowhere }, trash]", "[{ copy: D }, trash]"])
    func refused(_ then: String) throws {
        let evaluation = try evaluation(then)
        #expect(evaluation.decisions.map(\.action) == [.keep])
        #expect(evaluation.warnings.count == 1)
    }

    @Test("a message without Message-ID, or a very large one, is not copied")
    func unfit() throws {
        #expect(try evaluation("{ copy: A }", { _ in }).decisions.map(\.action) == [.keep])
        let large = try evaluation("{ copy: A }") {
            $0.messageID = MessageID("m@x.org")
            $0.size = 60 << 20
        }
        #expect(large.decisions.map(\.action) == [.keep])
    }

    @Test("a mail server makes the copy with fileinto :copy, without marks")
    func sieve() {
        let text = SieveExportTests.export("  - { id: r, when: '*', then: { copy: A } }\n").text
        #expect(text.contains("fileinto :copy :flags \"\" \"A\";"))
        #expect(text.contains("require [\"copy\", \"fileinto\", \"imap4flags\"];"))
    }
}

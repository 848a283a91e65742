import Models
import Testing

@testable import Pipeline

/// Mail of first-time senders: what waits, what does not, and what a decision does.
@Suite("The screener")
struct ScreenerTests {
    /// A workspace whose screener has begun; Bob wrote before.
    private func workplace() async throws -> Workplace {
        let work = try Workplace(rules: [:])
        try work.configure("screener: on")
        try work.deliver("From before")
        _ = try await held(work)
        return work
    }

    /// What `opus run` does with new mail before the rules see it.
    @discardableResult
    private func held(_ work: Workplace) async throws -> RunReport? {
        var report: RunReport?
        try await work.synced { report = try await $0.screener.hold(Workplace.account)?.report }
        return report
    }

    private func mail(_ subject: String, _ from: String) -> SampleMail {
        SampleMail(subject: subject, from: from)
    }

    private func refusal(_ body: () async throws -> Void) async -> String {
        do { try await body() } catch let problem as Problem { return problem.code } catch {
            return "\(error)"
        }
        return "none"
    }

    @Test("mail from before the screener was on stays in the inbox, and its senders are known")
    func before() async throws {
        let work = try await workplace()
        try work.deliver("Another")
        try await held(work)
        #expect(try work.names("INBOX") == ["Another", "From-before"])
    }

    @Test("mail of a stranger waits, and each of the stranger's messages is in one line")
    func stranger() async throws {
        let work = try await workplace()
        try work.deliver(mail("Offer", "Sly <sly@shop.example>"))
        try work.deliver(mail("Offer 2", "Sly <SLY@shop.example>"))
        try await held(work)
        #expect(try work.names("Screener") == ["Offer", "Offer-2"])
        try await work.with { session in
            let waiting = try session.screener.waiting(account: nil)
            #expect(waiting.map { $0.address?.comparable } == ["sly@shop.example"])
            #expect(waiting.first?.messages.count == 2)
        }
    }

    @Test("an answer to the user's mail does not wait, and a forged reference to other mail does")
    func answers() async throws {
        let work = try await workplace()
        try work.deliver(
            SampleMail(subject: "Question", from: "Ana <ana@acme.example>", to: "desk@shop.example"),
            flags: [.seen], to: MailboxName("Sent"))
        try await held(work)
        try work.deliver(SampleMail(subject: "Answer", from: "help@shop.example", answers: "Question"))
        try work.deliver(SampleMail(subject: "Forged", from: "sly@shop.example", answers: "From before"))
        try await held(work)
        #expect(try work.names("INBOX") == ["Answer", "From-before"])
        #expect(try work.names("Screener") == ["Forged"])
    }

    @Test("people in the address book and people to whom the user wrote are known")
    func known() async throws {
        let work = try Workplace(rules: [:])
        try work.configure("screener: { mailbox: Screener, address-book: contacts.vcf }")
        try work.write(
            "BEGIN:VCARD\r\nEMAIL;TYPE=work:carla@acme.example\r\nEND:VCARD\r\n", to: "contacts.vcf")
        try await held(work)
        try work.deliver(
            SampleMail(subject: "Hi", from: "Ana <ana@acme.example>", to: "dan@home.example"), flags: [.seen],
            to: MailboxName("Sent"))
        try work.deliver(mail("From Carla", "carla@acme.example"))
        try work.deliver(mail("From Dan", "dan@home.example"))
        try await held(work)
        #expect(try work.names("INBOX") == ["From-Carla", "From-Dan"])
    }

    @Test("an approved sender's mail goes to the inbox, now and later")
    func approve() async throws {
        let work = try await workplace()
        try work.deliver(mail("Offer", "sly@shop.example"))
        try await held(work)
        try await work.with { session in
            let id = try session.id(of: "Offer")
            _ = try await session.screener.decide(.approve(also: nil), .typed([id]), account: nil)
            #expect(try session.screener.history().map(\.entry) == ["sly@shop.example"])
        }
        #expect(try work.read("lists/approved.txt").contains("sly@shop.example"))
        try work.deliver(mail("Offer 2", "sly@shop.example"))
        try await held(work)
        #expect(try work.names("INBOX") == ["From-before", "Offer", "Offer-2"])
    }

    @Test("a denied sender's mail goes to the trash, now and later, and a new decision replaces the old one")
    func deny() async throws {
        let work = try await workplace()
        try work.deliver(mail("Offer", "sly@shop.example"))
        try await held(work)
        try await work.with { session in
            _ = try await session.screener.decide(.deny, .typed(["sly@shop.example"]), account: nil)
        }
        try work.deliver(mail("Offer 2", "sly@shop.example"))
        try await held(work)
        #expect(try work.names("Trash") == ["Offer", "Offer-2"])
        try await work.with { session in
            _ = try await session.screener.decide(
                .approve(also: nil), .typed(["sly@shop.example"]), account: nil)
        }
        #expect(try !work.read("lists/denied.txt").contains("sly@shop.example"))
        #expect(try work.read("lists/approved.txt").contains("sly@shop.example"))
    }

    @Test("cleared mail goes to the archive without a decision about its sender")
    func clear() async throws {
        let work = try await workplace()
        try work.deliver(mail("Offer", "sly@shop.example"))
        try await held(work)
        try await work.with { session in
            _ = try await session.screener.decide(.clear, .all, account: nil)
            #expect(try session.screener.history().isEmpty)
        }
        #expect(try work.names("Archive") == ["Offer"])
    }

    @Test("a decision is one run, and an undo brings mail and list back")
    func undone() async throws {
        let work = try await workplace()
        try work.deliver(mail("Offer", "sly@shop.example"))
        try await held(work)
        try await work.with { session in
            _ = try await session.screener.decide(.deny, .all, account: nil)
            _ = try await session.undo.apply(try await session.undo.freshPlan(UndoRequest()))
            #expect(try session.screener.history().map(\.isUndone) == [true])
        }
        #expect(try work.names("Screener") == ["Offer"])
        #expect(try !work.read("lists/denied.txt").contains("sly@shop.example"))
    }

    @Test("a sender who cannot be in a list is left out of a decision about all, and its mail waits")
    func unlistable() async throws {
        let work = try await workplace()
        try work.deliver(mail("Offer", "sly@shop.example"))
        try work.deliver(mail("Odd", "\"a#b\"@shop.example"))
        try await held(work)
        try await work.with { session in
            let decided = try await session.screener.decide(.approve(also: nil), .all, account: nil)
            #expect(decided.reports.count == 1)
            #expect(decided.leftOut.map(\.messages.first?.subject) == ["Odd"])
        }
        #expect(try work.names("Screener") == ["Odd"])
        #expect(try work.names("INBOX") == ["From-before", "Offer"])
    }

    @Test("a preview says what would wait and what would go to the trash, and changes nothing")
    func preview() async throws {
        let work = try await workplace()
        try work.write("spam@shop.example\n", to: "lists/denied.txt")
        try work.deliver(mail("Offer", "sly@shop.example"))
        try work.deliver(mail("Spam", "spam@shop.example"))
        try await work.synced { session in
            let mails = try session.screener.preview(Workplace.account)?.mails ?? []
            #expect(Set(mails.map { "\($0.mail.subject) \($0.isDenied)" }) == ["Offer false", "Spam true"])
        }
        #expect(try work.names("INBOX") == ["From-before", "Offer", "Spam"])
    }

    @Test("a sender who imitates a known person is marked with that person")
    func imitation() async throws {
        let work = try await workplace()
        try work.deliver(
            SampleMail(subject: "Hi", from: "Ana <ana@acme.example>", to: "Dan Berg <dan@home.example>"),
            flags: [.seen], to: MailboxName("Sent"))
        try work.deliver(mail("Hi", "Dan Berg <dan@home.example>"))
        try work.deliver(mail("Invoice", "Dan Berg <dan.berg@free.example>"))
        try await held(work)
        try await work.with { session in
            let waiting = try session.screener.waiting(account: nil)
            #expect(waiting.map { $0.looksLike?.comparable } == ["dan@home.example"])
        }
    }

    @Test("what is not there cannot be decided about")
    func refusals() async throws {
        let work = try await workplace()
        try await work.with { session in
            func decide(_ word: String) async throws {
                _ = try await session.screener.decide(.deny, .typed([word]), account: nil)
            }
            #expect(await refusal { try await decide("*@shop.example") } == "not-screened")
            let bob = try session.id(of: "From before")
            #expect(await refusal { try await decide(bob) } == "not-screened")
        }
        let off = try Workplace(rules: [:])
        try await off.synced { session in
            #expect(await refusal { _ = try session.screener.waiting(account: nil) } == "no-screener")
        }
    }

    @Test("an address book that cannot be read stops the screener before it moves anything")
    func missingBook() async throws {
        let work = try Workplace(rules: [:])
        try work.configure("screener: { mailbox: Screener, address-book: none.vcf }")
        try await held(work)
        try work.deliver(mail("Offer", "sly@shop.example"))
        #expect(await refusal { try await held(work) } == "no-address-book")
        #expect(try work.names("INBOX") == ["Offer"])
    }
}

@Suite("Address books")
struct AddressBookTests {
    @Test("the addresses of a vCard file are found, however its lines are written")
    func cards() {
        let text = """
            BEGIN:VCARD
            VERSION:3.0
            FN:Carla
            item1.EMAIL;TYPE=INTERNET:Carla@Acme.example
            EMAIL:dan@home.example
            NOTE:mail to eve@home.example
            URL:https://x.example/?a=b@c.example
            END:VCARD
            """
        #expect(
            Set(AddressBook.people(in: text).map(\.comparable)) == ["carla@acme.example", "dan@home.example"])
    }

    @Test("a plain list has one address a line, and words after # do not count")
    func plain() {
        let text =
            "dan@home.example # a friend\r\n\r\n# eve@home.example\nnot an address\n@home.example\nx@local\n"
        #expect(Set(AddressBook.people(in: text).map(\.comparable)) == ["dan@home.example"])
    }

    @Test("a file that is too large is not read")
    func large() {
        let text = String(repeating: "dan@home.example\n", count: 600_000)
        #expect(AddressBook.people(in: text).isEmpty)
    }
}

import Foundation
import HTTPClient
import MIMEParser
import MailStore
import MaildirClient
import Models
import Testing

@testable import Pipeline

/// Leaving a list: only by the way that the person saw, and from the address that the list writes to.
@Suite("Unsubscribing")
struct UnsubscribingTests {
    private func plan(
        _ header: String, to: String = "ana.lists@example.org", from: String = "news@letters.example",
        _ body: (Workplace, Session, String) async throws -> Void
    ) async throws {
        let work = try Workplace()
        try work.sendsMail()
        try work.write(
            try work.read("opus.yaml").replacing(
                "[ana@acme.example]", with: "[ana@acme.example, ana.lists@example.org]"), to: "opus.yaml")
        try work.put(
            "letter", "From: \(from)\nTo: \(to)\nSubject: News\nMessage-ID: <n@x>\n\(header)\n\nHello\n")
        try await work.with { session in
            _ = try await session.sync.account(AccountID("work"))
            try await body(work, session, try session.id(of: "News"))
        }
    }

    @Test(
        "the mail that leaves a list is a draft from the subscribed address"
    )
    func mail() async throws {
        try await plan("List-Unsubscribe: <mailto:leave@letters.example?subject=leave%20now>") {
            work, session, id in
            let plan = try session.unsubscribing.plan(id)
            #expect(plan.warnings.isEmpty)
            let draft = try #require(try session.unsubscribing.draft(plan))
            #expect(draft.builder.from.addrSpec == "ana.lists@example.org")
            #expect(draft.builder.to.map(\.addrSpec) == ["leave@letters.example"])
            #expect(draft.builder.subject == "leave now")
            #expect(try work.departures().isEmpty && session.outbox.list(account: nil).isEmpty)
            try session.unsubscribing.note(plan, draft: draft)
            #expect(try session.listSenders.byVolume(account: nil).map(\.unsubscribedAt) == [nil])
            try await session.send(try session.drafts.keep(draft))
            #expect(try work.departures().map(\.recipients) == [["leave@letters.example"]])
            #expect(try session.listSenders.byVolume(account: nil).first?.unsubscribedAt != nil)
        }
    }

    @Test("senders who still write ten days after an unsubscription are listed")
    func persistent() async throws {
        try await plan(
            "List-Unsubscribe: <https://letters.example/u>\nList-Unsubscribe-Post: List-Unsubscribe=One-Click"
        ) {
            work, session, id in
            let account = AccountID("work")
            let sender = try #require(try session.listSenders.byVolume(account: nil).first)
            #expect(sender.way.word == "post" && sender.volume.messages == 1 && sender.unsubscribedAt == nil)
            try session.unsubscribing.note(try session.unsubscribing.plan(id))
            let noted = try #require(try session.listSenders.byVolume(account: nil).first?.unsubscribedAt)
            let patience: Int64 = 10 * 86_400
            try work.deliver(
                SampleMail(subject: "Early", from: "news@letters.example", date: noted + patience - 60))
            _ = try await session.sync.account(account)
            #expect(try session.listSenders.persistent(account, at: noted + patience + 3_600) == [])
            try work.deliver(
                SampleMail(subject: "Late", from: "news@letters.example", date: noted + patience + 60))
            _ = try await session.sync.account(account)
            #expect(try session.listSenders.persistent(account, at: noted + patience - 1) == [])
            let found = try session.listSenders.persistent(account, at: noted + patience + 3_600)
            #expect(found.map(\.address) == ["news@letters.example"] && found.map(\.messages) == [1])
        }
    }

    @Test("to leave a discussion list asks the list to stop, and not the member who wrote")
    func discussion() async throws {
        func post(_ list: String, _ name: String, from: String = "Bob <bob@acme.example>") -> String {
            "From: \(from)\nTo: \(list)@lists.example\nSubject: \(name)\nMessage-ID: <\(name)@x>\n"
                + "List-Post: <mailto:\(list)@lists.example>\n"
                + "List-Unsubscribe: <mailto:\(list)-leave@lists.example>\n\nHello\n"
        }
        let work = try Workplace()
        try work.sendsMail()
        try work.put("a", post("birds", "Owls"))
        try work.put("b", post("trees", "Oaks"))
        try await work.with { session in
            let account = AccountID("work")
            _ = try await session.sync.account(account)
            let birds = try session.unsubscribing.plan(try session.id(of: "Owls"))
            try session.unsubscribing.note(birds)
            #expect(birds.sender == "birds@lists.example")
            #expect(try session.unsubscribing.askedAt(birds) != nil)
            #expect(
                try session.unsubscribing.askedAt(session.unsubscribing.plan(session.id(of: "Oaks"))) == nil)
            let now = session.clock.now
            try work.deliver(
                SampleMail(subject: "Lunch", from: "bob@acme.example", date: now + 11 * 86_400))
            _ = try await session.sync.account(account)
            let later = now + 20 * 86_400
            #expect(try session.listSenders.persistent(account, at: later) == [])
            try work.put("c", post("birds", "Ducks", from: "eve@x.example"), received: now + 12 * 86_400)
            _ = try await session.sync.account(account)
            #expect(
                try session.listSenders.persistent(account, at: later).map(\.address)
                    == ["birds@lists.example"])
        }
    }

    @Test("a mail received as a hidden copy is answered from the address of its account")
    func hidden() async throws {
        try await plan(
            "List-Unsubscribe: <mailto:leave@letters.example>", to: "readers@letters.example"
        ) { _, session, id in
            let draft = try #require(try session.unsubscribing.draft(try session.unsubscribing.plan(id)))
            #expect(draft.builder.from.addrSpec == "ana@acme.example")
        }
    }

    @Test(
        "a foreign target is warned about, and so is a click without a signature")
    func strangers() async throws {
        try await plan("List-Unsubscribe: <mailto:leave@evil.example>") { _, session, id in
            let warnings = try session.unsubscribing.plan(id).warnings
            #expect(
                warnings == [
                    "evil.example is neither the list's domain nor the sender's (letters.example)"
                ])
        }
        let click =
            "List-Unsubscribe: <https://evil.example/u?1>\nList-Unsubscribe-Post: List-Unsubscribe=One-Click"
        try await plan(click) { _, session, id in
            let plan = try session.unsubscribing.plan(id)
            #expect(plan.warnings.count == 2)
            #expect(plan.warnings.last?.hasPrefix("no signature covers this address") == true)
            #expect(try session.unsubscribing.draft(plan)?.text == nil, "a click writes no mail")
        }
    }

    @Test("addresses that cannot be used are reported, and the next way is used")
    func passedOver() async throws {
        try await plan("List-Unsubscribe: <http://letters.example/u>, <mailto:leave@letters.example>") {
            _, session, id in
            let plan = try session.unsubscribing.plan(id)
            #expect(
                plan.way == .mail(to: "leave@letters.example", subject: "unsubscribe", body: ""))
            #expect(plan.warnings.first?.hasPrefix("not used: http://letters.example/u") == true)
        }
    }

    @Test("without a safe way opus sends nothing, and says what the user can do")
    func noWay() async throws {
        for (header, code, detail) in [
            ("X-Other: 1", "no-unsubscribe", nil),
            ("List-Unsubscribe: <http://letters.example/u>", "no-unsubscribe", "not used: "),
            (
                "List-Unsubscribe: <https://192.168.1.1/u>\nList-Unsubscribe-Post: List-Unsubscribe=One-Click",
                "no-unsubscribe", "not used: https://192.168.1.1/u (a number"
            ),
            ("List-Unsubscribe: <https://0x7f.1/u>", "no-unsubscribe", "not used: "),
            (
                "List-Unsubscribe: <https://letters.example/u>", "needs-browser",
                "https://letters.example/u"
            ),
        ] {
            try await plan(header) { _, session, id in
                let problem = try #require(throws: Problem.self) { _ = try session.unsubscribing.plan(id) }
                #expect(problem.code == code && problem.exit == .notFound)
                #expect(problem.details.first.map { $0.hasPrefix(detail ?? "-") } == detail.map { _ in true })
            }
        }
    }

    @Test("an unreachable server got no request, so opus may ask it again")
    func noServer() async throws {
        try await plan("List-Unsubscribe: <mailto:leave@letters.example>") { _, session, id in
            let address = try #require(WebAddress("https://127.0.0.1:1/u"))
            let plan = try session.unsubscribing.plan(id)
            for _ in 1...2 {
                await #expect(throws: Problem.self) {
                    do {
                        try await session.unsubscribing.post(address, plan, caFile: nil)
                    } catch {
                        #expect(Problem(error).code == "unreachable")
                        throw error
                    }
                }
            }
            #expect(try session.unsubscribing.askedAt(plan) == nil)
        }
    }
}
